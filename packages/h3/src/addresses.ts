/** Where things are found that answers refer to; neither ends with a slash. */
export interface Addresses {
  readonly problemBase: string;
  readonly basePath: string;
}

/** Throws a TypeError for what would make no address: a slip of the pen, found at the start. */
export function toAddresses({
  problemBase,
  basePath = '',
}: {
  readonly problemBase: string;
  readonly basePath?: string | undefined;
}): Addresses {
  if (!URL.canParse(problemBase)) throw new TypeError('problemBase: must be an absolute URL');
  if (basePath !== '' && !basePath.startsWith('/')) {
    throw new TypeError('basePath: must begin with a slash');
  }
  const withoutSlash = (text: string) => text.replace(/\/$/, '');
  // A host without types may as well give a `URL`.
  return { problemBase: withoutSlash(`${problemBase}`), basePath: withoutSlash(basePath) };
}
