import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Break } from './breaks.ts';

const root = join(import.meta.dirname, '../..');

/** Throws unless the text occurs exactly once, because a missing break would prove no test. */
export function broken({ file, find, replace }: Break): string {
  const [before, after, ...more] = readFileSync(join(root, file), 'utf8').split(find);
  if (before === undefined || after === undefined || more.length > 0) {
    throw new Error(`${file} has no longer exactly one: ${find}`);
  }
  return `${before}${replace}${after}`;
}

const planted: Break | undefined =
  JSON.parse(process.env['GUARANTEE_BREAK'] ?? 'null') ?? undefined;
const plantedFile = join(root, planted?.file ?? '');

/** The break of this run, for the modules that Vitest loads. */
export const plugin = {
  name: 'break',
  enforce: 'pre' as const,
  load: (id: string) => (planted !== undefined && id === plantedFile ? broken(planted) : undefined),
};

// The same for processes and threads that tests start.
if (planted !== undefined) {
  const url = pathToFileURL(plantedFile).href;
  registerHooks({
    load(loading, context, next) {
      const loaded = next(loading, context);
      return loading === url ? { ...loaded, source: broken(planted) } : loaded;
    },
  });
}
