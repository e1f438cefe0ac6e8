// A name of the core stands for one function, constant or type, so that a search finds one place.

/** The shape that each operation's file repeats. */
const shared = new Set(['steps', 'inputSchema']);

const declaration =
  /^(?:export )?(?:async )?(?:function\*? |const |interface |type |class )([A-Za-z]\w*)/gm;

/** Top-level names that two or more files declare, each with the files. */
export function twinNames(
  sources: readonly (readonly [file: string, source: string])[],
): readonly string[] {
  const places = new Map<string, Set<string>>();
  for (const [file, source] of sources) {
    for (const [, name = ''] of source.matchAll(declaration)) {
      if (shared.has(name)) continue;
      places.set(name, (places.get(name) ?? new Set()).add(file));
    }
  }
  return [...places]
    .filter(([, files]) => files.size > 1)
    .map(([name, files]) => `${name}: ${[...files].join(', ')}`);
}
