/** Something at a place in an order; `tie` decides between those at one place. */
export interface Placed<T> {
  readonly at: number;
  readonly tie: number;
  readonly item: T;
}

/** A list in order, of which the first members cost the same however long it is. */
export interface Sorted<T> extends Iterable<Placed<T>> {
  add(placed: Placed<T>): void;
  remove(placed: Pick<Placed<T>, 'at' | 'tie'>): void;
}

/** Members of one chunk: a longer one is split. */
const maxChunk = 128;

/** Kept in chunks, so that adding moves a bounded number of members. */
export function createSorted<T>(): Sorted<T> {
  const chunks: Placed<T>[][] = [];

  /** The chunk that holds this place, or would: the last one that does not begin behind it. */
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

/** The lowest index below `bound` for which it holds, or `bound`; it must hold for all above it. */
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
