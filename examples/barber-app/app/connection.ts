import type { Fetch } from '@chairside/client';

/** Whether the service responded to the last request. */
export interface Connection {
  readonly fetch: Fetch;
  readonly isOnline: () => boolean;
  readonly subscribe: (listener: () => void) => () => void;
}

export function watchConnection(send: Fetch): Connection {
  const listeners = new Set<() => void>();
  let isOnline = true;
  const show = (now: boolean) => {
    if (now === isOnline) return;
    isOnline = now;
    for (const listener of listeners) listener();
  };
  return {
    async fetch(url, init) {
      try {
        const response = await send(url, init);
        show(true);
        return response;
      } catch (error) {
        // A canceled request says nothing about the network.
        if (!init.signal.aborted) show(false);
        throw error;
      }
    },
    isOnline: () => isOnline,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
