/**
 * Identifies the problem types of every deployment that sets no base of its own, so that generated
 * clients match them all (D37). It is an identifier; nothing is fetched from it.
 */
export const defaultProblemBase = 'https://chairside.example';

/** The addresses that responses refer to; none ends with a slash. */
export interface Addresses {
  readonly problemBase: string;
  readonly basePath: string;
  /** Without it, problems have no `instance` (D29). */
  readonly publicUrl: string | undefined;
}

interface AddressOptions {
  readonly problemBase?: string | undefined;
  readonly basePath?: string | undefined;
  readonly publicUrl?: string | undefined;
}

/** Throws a TypeError for options that make no address, so that a host finds a slip at its start. */
export function toAddresses({
  problemBase = defaultProblemBase,
  basePath = '',
  publicUrl,
}: AddressOptions): Addresses {
  if (!URL.canParse(problemBase)) throw new TypeError('problemBase: must be an absolute URL');
  if (publicUrl !== undefined && !URL.canParse(publicUrl)) {
    throw new TypeError('publicUrl: must be an absolute URL');
  }
  if (basePath !== '' && !basePath.startsWith('/')) {
    throw new TypeError('basePath: must begin with a slash');
  }
  // A host without types may as well give a `URL`.
  const withoutSlash = (text: string) => `${text}`.replace(/\/$/, '');
  return {
    problemBase: withoutSlash(problemBase),
    basePath: withoutSlash(basePath),
    publicUrl: publicUrl === undefined ? undefined : withoutSlash(publicUrl),
  };
}
