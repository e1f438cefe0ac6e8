/** A value at a place in an order; `tie` decides between equal places. */
export interface Placed<T> {
  readonly at: number;
  readonly tie: number;
  readonly item: T;
}

/** An ordered list. The cost of its first members does not depend on its length. */
export interface Sorted<T> extends Iterable<Placed<T>> {
  add(placed: Placed<T>): void;
  remove(placed: Pick<Placed<T>, 'at' | 'tie'>): void;
}

/** The maximum of members in a chunk: a longer one is split. */
const maxChunk = 128;

/** Stored in chunks, so that an insertion moves a bounded number of members. */
export function createSorted<T>(): Sorted<T> {
  const chunks: Placed<T>[][] = [];

  /** The chunk for this place: the last one that does not begin behind it. */
  function chunkOf(place: Place): number {
    return Math.max(0, lowest(chunks.length, (i) => isBehind(chunks[i]?.[0], place)) - 1);
  }

  return {
    add(placed) {
      const index = chunkOf(placed);
      const chunk = chunks[index];
      if (chunk === undefined) {
        chunks.push([placed]);
        return;
      }
      const within = lowest(chunk.length, (i) => isBehind(chunk[i], placed));
      chunk.splice(within, 0, placed);
      if (chunk.length > maxChunk) chunks.splice(index + 1, 0, chunk.splice(maxChunk / 2));
    },
    remove(place) {
      const index = chunkOf(place);
      const chunk = chunks[index] ?? [];
      const within = lowest(chunk.length, (i) => isBehind(chunk[i], place)) - 1;
      const found = chunk[within];
      if (found?.at !== place.at || found.tie !== place.tie) return;
      chunk.splice(within, 1);
      if (chunk.length === 0) chunks.splice(index, 1);
    },
    *[Symbol.iterator]() {
      for (const chunk of chunks) yield* chunk;
    },
  };
}

type Place = Pick<Placed<unknown>, 'at' | 'tie'>;

function isBehind(one: Place | undefined, place: Place): boolean {
  if (one === undefined) return true;
  return one.at > place.at || (one.at === place.at && one.tie > place.tie);
}

/**
 * The lowest index below `bound` for which `holds` is true, or `bound`. It must be true for all
 * indexes above.
 */
function lowest(bound: number, holds: (index: number) => boolean): number {
  let low = 0;
  let high = bound;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
