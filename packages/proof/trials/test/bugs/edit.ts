import type { Edit } from './planted-bug.ts';

/** The URL prefix of the core's sources. */
export const sources = new URL('./', import.meta.resolve('@chairside/core')).href;

/**
 * Throws unless the snippet occurs exactly once, because a bug that is not planted would prove no
 * test.
 */
export function edited(source: string, { file, find, replace }: Edit): string {
  const [before, after, ...more] = source.split(find);
  if (before === undefined || after === undefined || more.length > 0) {
    throw new Error(`${file} has not exactly one: ${find}`);
  }
  return `${before}${replace}${after}`;
}
