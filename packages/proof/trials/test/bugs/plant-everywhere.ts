import { registerHooks } from 'node:module';
import { edited, urlOf } from './edit.ts';
import type { Planted } from './planted-bug.ts';

/**
 * Plants a bug into a whole process. The process must not have loaded the core yet, so this file
 * imports no module that loads it.
 */
export function plantEverywhere({ edits }: Planted): void {
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      const own = edits.filter((edit) => url === urlOf(edit));
      return own.length === 0
        ? loaded
        : { ...loaded, source: own.reduce(edited, String(loaded.source)) };
    },
  });
}
