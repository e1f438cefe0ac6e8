import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import type { createChairside } from '@chairside/core';
import type { Edit, PlantedBug } from './planted-bug.ts';

/** Where the core's sources are, as URLs of modules begin. */
const sources = new URL('./', import.meta.resolve('@chairside/core')).href;

/** What each mutant's modules have in their URLs. */
const mark = /[?&]bug=([^&]+)/;

let bugs = new Map<string, PlantedBug>();
let isHooked = false;

/**
 * Loads the core with a bug planted into its sources as they are read. Nothing in what ships knows
 * of it; the real core stays beside it, untouched.
 */
export async function plant(bug: PlantedBug): Promise<typeof createChairside> {
  for (const edit of bug.edits) edited(readFileSync(new URL(edit.file, sources), 'utf8'), edit);
  bugs = new Map(bugs).set(bug.name, bug);
  if (!isHooked) hook();
  isHooked = true;
  const core = await import(`${sources}chairside.ts?bug=${bug.name}`);
  return core.createChairside;
}

/** The same for a whole process, which has not loaded the core yet: there is no other core then. */
export function plantEverywhere({ edits }: PlantedBug): void {
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      const own = edits.filter(({ file }) => url === `${sources}${file}`);
      return own.length === 0
        ? loaded
        : { ...loaded, source: own.reduce(edited, String(loaded.source)) };
    },
  });
}

function hook(): void {
  registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      const name = mark.exec(specifier)?.[1] ?? mark.exec(context.parentURL ?? '')?.[1];
      const isCore = resolved.url.startsWith(sources) && !mark.test(resolved.url);
      return name !== undefined && isCore
        ? { ...resolved, url: `${resolved.url}?bug=${name}` }
        : resolved;
    },
    load(url, context, next) {
      const loaded = next(url, context);
      const edits = bugs.get(mark.exec(url)?.[1] ?? '')?.edits ?? [];
      const own = edits.filter(({ file }) => url.startsWith(`${sources}${file}?`));
      return own.length === 0
        ? loaded
        : { ...loaded, source: own.reduce(edited, String(loaded.source)) };
    },
  });
}

/** Throws unless the snippet is there, and only once: a bug that is not planted proves nothing. */
function edited(source: string, { file, find, replace }: Edit): string {
  const [before, after, ...more] = source.split(find);
  if (before === undefined || after === undefined || more.length > 0) {
    throw new Error(`${file} has not exactly one: ${find}`);
  }
  return `${before}${replace}${after}`;
}
