/** A promise of any library, or a Result that is still to come. */
interface Awaitable<T> {
  then(onValue: (value: T) => void, onThrown: (thrown: unknown) => void): unknown;
}

/** Rejects with `late` if the promise takes longer. Once it settles, no timer is left. */
export function inTime<T>(asked: Awaitable<T>, deadlineMs: number, late: string): Promise<T> {
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
