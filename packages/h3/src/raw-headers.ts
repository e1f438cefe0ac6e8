/**
 * Names and values in turn, as Node received them. Node's other forms join or drop repeated
 * headers.
 */
type RawHeaders = readonly string[];

/** Their minimum size in bytes: each has a colon and a line end. */
export function headerLength(rawHeaders: RawHeaders): number {
  let length = (rawHeaders.length / 2) * 3;
  for (const text of rawHeaders) length += text.length;
  return length;
}

/** Counts a header; `name` in lower case. */
export function countHeader(rawHeaders: RawHeaders, name: string): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const given = rawHeaders[at];
    if (given?.length === name.length && given.toLowerCase() === name) count += 1;
  }
  return count;
}
