/** The facts that were true at some moment between these two. */
export function during<T extends { readonly moment: number }>(
  snapshots: readonly T[],
  from: number,
  to: number,
): readonly T[] {
  const first = snapshots.findLastIndex(({ moment }) => moment <= from);
  return snapshots.slice(Math.max(0, first)).filter(({ moment }) => moment <= to);
}
