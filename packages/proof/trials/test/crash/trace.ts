/** The system calls that concern one response. */
export interface Proof {
  readonly answer: string;
  /** The last write to the write-ahead log before the response, its sync, and the response. */
  readonly lines: readonly string[];
  readonly isDurable: boolean;
}

const isLogWrite = (line: string) => /^pwrite64\(\d+<[^>]*-wal>/.test(line);
const isLogSync = (line: string) => /^f(?:data)?sync\(\d+<[^>]*-wal>\)\s+= 0$/.test(line);
const isSent = (line: string, answer: string) =>
  /^writev?\(\d+<(?:TCP|socket)/.test(line) && line.includes(`"${answer}`);

/**
 * Whether all writes to the log before a response was sent had been synced by then.
 * @param trace one thread's calls in their order, as `strace -ff -y` writes them.
 * @param answer the beginning of the response.
 */
export function proofOf(trace: readonly string[], answer: string): Proof {
  const sent = trace.findIndex((line) => isSent(line, answer));
  const before = trace.slice(0, Math.max(0, sent));
  const written = before.findLastIndex(isLogWrite);
  const synced = before.findLastIndex(isLogSync);
  const lines = [written, synced, sent].flatMap((index) => trace[index] ?? []);
  return { answer, lines, isDurable: written >= 0 && synced > written };
}
