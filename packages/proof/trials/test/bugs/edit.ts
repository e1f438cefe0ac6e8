import type { Edit } from './planted-bug.ts';

/** The URL of a package's sources. */
const sourcesOf = (name: string) => new URL('./', import.meta.resolve(`@chairside/${name}`)).href;

/** The core's sources, of which a mutant has its own copy. */
export const coreSources = sourcesOf('core');
/** The Stripe adapter's sources. */
export const stripeSources = sourcesOf('stripe');

/** The URL of the file that an edit changes. */
export function urlOf({ file }: Edit): string {
  const [name = '', ...path] = file.split('/');
  return `${sourcesOf(name)}${path.join('/')}`;
}

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
