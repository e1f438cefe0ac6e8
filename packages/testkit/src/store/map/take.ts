/** The first so many; a limit below zero is zero. */
export function take<T>(from: Iterable<T>, limit: number): readonly T[] {
  const taken: T[] = [];
  if (limit <= 0) return taken;
  for (const one of from) {
    taken.push(one);
    if (taken.length >= limit) break;
  }
  return taken;
}
