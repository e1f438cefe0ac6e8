/** The facts that were true at some moment between these two. */
export function during<T extends { readonly moment: number }>(
  truths: readonly T[],
  from: number,
  to: number,
): readonly T[] {
  const first = truths.findLastIndex(({ moment }) => moment <= from);
  return truths.slice(Math.max(0, first)).filter(({ moment }) => moment <= to);
}
