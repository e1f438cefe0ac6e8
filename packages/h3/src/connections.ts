import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** The requests of one connection. */
export interface Connection {
  /** Handed over by Node, and not answered yet. */
  running: number;
  /** The newest response; a connection answers in the order of its requests. */
  last: ServerResponse | undefined;
  /** Bytes that are not HTTP came in, so nothing after them can be read. */
  isBroken: boolean;
}

export interface Connections {
  readonly of: (socket: Duplex) => Connection;
}

export function createConnections(): Connections {
  const connections = new WeakMap<Duplex, Connection>();
  return {
    of(socket) {
      let connection = connections.get(socket);
      if (connection === undefined) {
        connection = { running: 0, last: undefined, isBroken: false };
        connections.set(socket, connection);
      }
      return connection;
    },
  };
}

/** The request that Node was still reading when the connection broke. */
export function unreadOf({ last }: Connection): ServerResponse | undefined {
  return last?.req.complete === false && !last.writableFinished ? last : undefined;
}

/** Whether requests that were read in full are still to be answered, or are being answered. */
export function isBusy(connection: Connection): boolean {
  const unread = unreadOf(connection);
  return connection.running > (unread === undefined ? 0 : 1) || unread?.headersSent === true;
}

/** Whether this is the response after which a broken connection closes. */
export function isLast({ isBroken, last }: Connection, response: ServerResponse): boolean {
  return isBroken && last === response;
}

/** How long a client that still sends may take to read the response. */
const lingerMs = 1000;

/**
 * Closes once everything is written. Closing at once while the client still sends would reset the
 * connection before it reads the response.
 */
export function closeSoon(socket: Duplex): void {
  socket.on('error', () => {}); // A client that is gone needs no response.
  socket.end();
  socket.resume();
  setTimeout(() => socket.destroy(), lingerMs).unref();
}
