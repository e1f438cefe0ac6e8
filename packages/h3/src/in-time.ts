/** Rejects with `late` if the promise takes longer. Once it settles, no timer is left. */
export function inTime<T>(asked: PromiseLike<T>, deadlineMs: number, late: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${late} ${deadlineMs} ms`)), deadlineMs);
    asked.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (thrown) => {
        clearTimeout(timer);
        reject(thrown);
      },
    );
  });
}
