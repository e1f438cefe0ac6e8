/** Shows the progress in one line; one line for each step if the output is not a terminal. */
export function createProgress(total: number): (what: string) => void {
  const startedAt = performance.now();
  let done = 0;
  return (what) => {
    const minutesLeft = ((performance.now() - startedAt) / 60_000 / done) * (total - done);
    const left = done === 0 ? '' : `, ${Math.ceil(minutesLeft)} min left`;
    done += 1;
    const line = `[${done}/${total}${left}] ${what}`;
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${done === total ? '' : line}`);
    else process.stderr.write(`${line}\n`);
  };
}
