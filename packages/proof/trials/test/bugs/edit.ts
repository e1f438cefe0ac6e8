import type { Edit } from './planted-bug.ts';

/** The URL prefixes of the sources that a bug can be planted into. */
const sources = {
  core: new URL('./', import.meta.resolve('@chairside/core')).href,
  stripe: new URL('./', import.meta.resolve('@chairside/stripe')).href,
} as const;

/** The core's sources, of which a mutant has its own copy. */
export const coreSources = sources.core;
/** The Stripe adapter's sources. */
export const stripeSources = sources.stripe;

/** The URL of the file that an edit changes. */
export function urlOf({ of = 'core', file }: Edit): string {
  return `${sources[of]}${file}`;
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
