/** Gives each request an id of its run, so that the timeline knows whose request it is. */
export interface NamedFetch {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** Begins another run of the timeline. */
  beginRun(run: string): void;
}

/** @param phone 1, or 2 for the second phone. */
export function namedFetch(phone: number, first: string): NamedFetch {
  let run = first;
  let requests = 0;
  return {
    fetch(url, init) {
      requests += 1;
      const id = `${run}-${phone}.${Date.now().toString(36)}${requests}`;
      return fetch(url, { ...init, headers: { ...init.headers, 'x-request-id': id } });
    },
    beginRun(id) {
      run = id;
    },
  };
}

/** Names a run, so that its requests are found in the timeline. */
export function newRun(): string {
  return `till-${Date.now().toString(36)}`;
}
