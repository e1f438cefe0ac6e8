/**
 * Identifies the problem types of all deployments without a base of their own, so that generated
 * clients match them (D37). It is only an identifier; clients never fetch it.
 */
export const defaultProblemBase = 'https://chairside.example';

/** The addresses in responses, without a trailing slash. */
export interface Addresses {
  readonly problemBase: string;
  readonly basePath: string;
  /** If omitted, problems have no `instance` (D29). */
  readonly publicUrl: string | undefined;
}

/** Throws a TypeError for an invalid address, so that a host finds the mistake at its start. */
export function toAddresses({
  problemBase = defaultProblemBase,
  basePath = '',
  publicUrl,
}: { readonly [K in keyof Addresses]?: string | undefined }): Addresses {
  if (!URL.canParse(problemBase)) throw new TypeError('problemBase: must be an absolute URL');
  if (publicUrl !== undefined && !URL.canParse(publicUrl)) {
    throw new TypeError('publicUrl: must be an absolute URL');
  }
  // An `instance` is this text, a path and one fragment (D29).
  if (/[?#]/.test(`${publicUrl ?? ''}`)) {
    throw new TypeError('publicUrl: must have no query and no fragment');
  }
  if (basePath !== '' && !basePath.startsWith('/')) {
    throw new TypeError('basePath: must begin with a slash');
  }
  // Hosts without types may pass a `URL` object.
  const withoutSlash = (text: string) => `${text}`.replace(/\/$/, '');
  return {
    problemBase: withoutSlash(problemBase),
    basePath: withoutSlash(basePath),
    publicUrl: publicUrl === undefined ? undefined : withoutSlash(publicUrl),
  };
}
