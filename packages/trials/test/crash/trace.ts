/** What a trace of system calls says of one answer. */
export interface Proof {
  readonly answer: string;
  /** The last write to the write-ahead log before the answer, its sync, and the answer. */
  readonly lines: readonly string[];
  readonly isDurable: boolean;
}

const isLogWrite = (line: string) => /^pwrite64\(\d+<[^>]*-wal>/.test(line);
const isLogSync = (line: string) => /^f(?:data)?sync\(\d+<[^>]*-wal>\)\s+= 0$/.test(line);
const isSent = (line: string, answer: string) =>
  /^writev?\(\d+<(?:TCP|socket)/.test(line) && line.includes(`"${answer}`);

/**
 * Whether all that was written to the log before an answer was sent had been synced by then.
 * @param trace one thread's calls in their order, as `strace -ff -y` writes them.
 * @param answer how the answer begins.
 */
export function proofOf(trace: readonly string[], answer: string): Proof {
  const sent = trace.findIndex((line) => isSent(line, answer));
  const before = trace.slice(0, Math.max(0, sent));
  const written = before.findLastIndex(isLogWrite);
  const synced = before.findLastIndex(isLogSync);
  const lines = [written, synced, sent].flatMap((index) => trace[index] ?? []);
  return { answer, lines, isDurable: written >= 0 && synced > written };
}
