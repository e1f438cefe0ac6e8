/** As Node received them: names and values by turns. Elsewhere it joins or drops what is repeated. */
type RawHeaders = readonly string[];

/** How often a header is there; `name` in lower case. */
export function countHeader(rawHeaders: RawHeaders, name: string): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const given = rawHeaders[at];
    if (given?.length === name.length && given.toLowerCase() === name) count += 1;
  }
  return count;
}
