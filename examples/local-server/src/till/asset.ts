import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';

/** A file of a page. Its name has a hash of its content, so that it can be cached for ever. */
export interface Asset {
  readonly name: string;
  readonly type: string;
  readonly content: Uint8Array<ArrayBuffer>;
  /** Compressed at the first request. */
  gzipped(): Uint8Array<ArrayBuffer>;
}

/** @param name with its extension; the hash goes before it. */
export function assetOf(name: string, type: string, bytes: Uint8Array): Asset {
  const content = new Uint8Array(bytes);
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 12);
  let gzipped: Uint8Array<ArrayBuffer> | undefined;
  return {
    name: name.replace(/\.(\w+)$/, `.${hash}.$1`),
    type,
    content,
    gzipped() {
      gzipped ??= new Uint8Array(gzipSync(content));
      return gzipped;
    },
  };
}

export function serveAsset(
  { type, content, gzipped }: Asset,
  { headers }: Request,
  contentSecurityPolicy: string,
): Response {
  const isGzip = headers.get('accept-encoding')?.includes('gzip') === true;
  const body = isGzip ? gzipped() : content;
  return new Response(body, {
    headers: {
      'content-length': String(body.byteLength),
      'content-type': `${type}; charset=utf-8`,
      'content-security-policy': contentSecurityPolicy,
      'cache-control': 'public, max-age=31536000, immutable',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      vary: 'accept-encoding',
      ...(isGzip && { 'content-encoding': 'gzip' }),
    },
  });
}
