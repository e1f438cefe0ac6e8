/** The first `limit` values; a negative limit counts as zero. */
export function take<T>(from: Iterable<T>, limit: number): readonly T[] {
  const taken: T[] = [];
  if (limit <= 0) return taken;
  for (const one of from) {
    taken.push(one);
    if (taken.length >= limit) break;
  }
  return taken;
}
