import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

export interface Connection {
  /** Received by Node, and without a response yet. */
  running: number;
  /** For how long it was silent while requests were running. */
  silentMs: number;
  /** The newest response. A connection sends responses in the order of its requests. */
  last: ServerResponse | undefined;
  /** The client sent bytes that are not HTTP, so later bytes cannot be parsed. */
  isBroken: boolean;
  /** The server has written a response of its own and closes the connection. */
  isAnswered: boolean;
}

const connections = new WeakMap<Duplex, Connection>();

export function connectionOf(socket: Duplex): Connection {
  const known = connections.get(socket);
  if (known !== undefined) return known;
  const connection = {
    running: 0,
    silentMs: 0,
    last: undefined,
    isBroken: false,
    isAnswered: false,
  };
  connections.set(socket, connection);
  return connection;
}

/** The request that Node was still reading when the connection broke. */
export function unreadOf({ last }: Connection): ServerResponse | undefined {
  return last?.req.complete === false && !last.writableFinished ? last : undefined;
}

/** Whether fully read requests still run. */
export function isRunning(connection: Connection): boolean {
  return connection.running > (unreadOf(connection) === undefined ? 0 : 1);
}

/** Whether fully read requests still wait for their response. */
export function isBusy(connection: Connection): boolean {
  return isRunning(connection) || unreadOf(connection)?.headersSent === true;
}

/** The time for a client that is still sending to read the response. */
const lingerMs = 1000;

/**
 * Closes the socket after the last write. Closing while the client still sends would reset the
 * connection before it reads the response.
 */
export function closeSoon(socket: Duplex): void {
  socket.on('error', () => {}); // A disconnected client needs no response.
  socket.end();
  socket.resume();
  setTimeout(() => socket.destroy(), lingerMs).unref();
}
