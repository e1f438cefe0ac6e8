/**
 * Groups of files that import one another, each once and sorted by name. Edges are `from -> to`.
 */
export function circlesOf(edges: readonly string[]): string[][] {
  const imports = new Map<string, Set<string>>();
  for (const edge of edges) {
    const [from = '', to = ''] = edge.split(' -> ');
    imports.set(from, (imports.get(from) ?? new Set()).add(to));
  }

  /** Tarjan's algorithm: the lowest file on the stack that each file can reach. */
  const seen = new Map<string, { readonly index: number; lowest: number }>();
  const stack: string[] = [];
  const circles: string[][] = [];

  function visit(file: string): number {
    const own = { index: seen.size, lowest: seen.size };
    seen.set(file, own);
    stack.push(file);
    for (const next of imports.get(file) ?? []) {
      const known = seen.get(next);
      if (known === undefined) own.lowest = Math.min(own.lowest, visit(next));
      else if (stack.includes(next)) own.lowest = Math.min(own.lowest, known.index);
    }
    if (own.lowest === own.index) {
      const circle = stack.splice(stack.indexOf(file));
      if (circle.length > 1 || imports.get(file)?.has(file) === true) circles.push(circle.sort());
    }
    return own.lowest;
  }

  for (const file of imports.keys()) if (!seen.has(file)) visit(file);
  return circles;
}
