import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';

/** One thing that happened between phone, server and processor. Plain JSON, without secrets. */
export type Line = { readonly seq: number; readonly at: number } & Happening;

type Happening =
  | {
      readonly kind: 'request';
      readonly id: string;
      readonly method: string;
      readonly path: string;
      readonly key?: string;
      readonly body?: string;
    }
  | {
      readonly kind: 'response';
      readonly id: string;
      readonly status: number;
      readonly body: string;
      readonly isLost: boolean;
    }
  /** A call to the processor; `id` is the request that it belongs to. */
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly outcome: string }
  /** A card was held to the phone. */
  | { readonly kind: 'tap'; readonly id: string; readonly card: string; readonly status: string }
  /** The processor told the server of a change. */
  | { readonly kind: 'message'; readonly status: number }
  | { readonly kind: 'down'; readonly where: string }
  | { readonly kind: 'up' }
  | { readonly kind: 'fault'; readonly what: string }
  | {
      readonly kind: 'appointment';
      readonly id: string;
      readonly customer: string;
      readonly amountDue: string;
    };

/** The lines that the page shows. The timeline outlives the server, and a page that was loaded anew. */
export interface Timeline {
  add(happening: Happening, at?: number): void;
  /** All lines after that one, oldest first. */
  since(seq: number): readonly Line[];
  /** Calls `listener` with each new line; the returned function ends that. */
  subscribe(listener: (line: Line) => void): () => void;
}

const maxLines = 1000;
const maxBody = 4000;

/** @param path the file it is kept in; in memory only if absent. */
export function openTimeline(path: string | undefined): Timeline {
  let lines = path === undefined ? [] : readLines(path);
  let seq = lines.at(-1)?.seq ?? 0;
  const listeners = new Set<(line: Line) => void>();

  function keep(line: Line): void {
    lines.push(line);
    const isFull = lines.length > 2 * maxLines;
    if (isFull) lines = lines.slice(-maxLines);
    if (path === undefined) return;
    try {
      // Written at once: the process may be killed by the next statement.
      if (isFull) writeFileSync(path, lines.map(toText).join(''), { mode: 0o600 });
      else appendFileSync(path, toText(line), { mode: 0o600 });
    } catch {
      // A full disk must not stop a payment: the line is kept in memory alone.
    }
  }

  return {
    add(happening, at = Date.now()) {
      seq += 1;
      const line: Line = { seq, at, ...happening };
      keep(line);
      for (const listener of listeners) listener(line);
    },
    since: (after) => lines.filter((line) => line.seq > after),
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

const toText = (line: Line) => `${JSON.stringify(line)}\n`;

function readLines(path: string): Line[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .slice(-maxLines)
    .flatMap((text) => {
      try {
        return [JSON.parse(text)];
      } catch {
        // The process was killed while it wrote this line.
        return [];
      }
    });
}

/** A body as it may be shown: client secrets are left out, and it is bounded. */
export function shown(body: string): string {
  return body.replace(/("clientSecret":")[^"]*/g, '$1…').slice(0, maxBody);
}
