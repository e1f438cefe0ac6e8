import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { systemClock } from '@chairside/core';
import { type Fault, fault, retryLater } from '@chairside/core/ports';
import { closeSoon, connectionOf, isBusy, unreadOf } from './connections.ts';
import { pathOf } from './exchange.ts';
import { beforeLookUp, keyHeader } from './input.ts';

/** Responds instead of the app. `path` is the requested path, if it is known. */
type Refuse = (found: Fault, path?: string) => Response;

/** Bytes (D33). */
export const maxHeaderLength = 16 * 1024;

export const headersTooLarge = fault(
  'headersTooLarge',
  `The headers may have at most ${maxHeaderLength} bytes.`,
);

/** For a server's `clientError`: the bytes on the socket are not a request. */
export function answerError(refuse: Refuse, error: Error, socket: Duplex): void {
  const connection = connectionOf(socket);
  if (connection.isAnswered) return;
  const found = faultOf(error);
  if (found === undefined) return void socket.destroy();
  // Requests that were read in full are carried out, so they get their responses before it
  // closes.
  connection.isBroken = true;
  if (isBusy(connection)) return;
  const unread = unreadOf(connection)?.req;
  // Without readable headers the request may have had a key (D22).
  const isKeyed = unread === undefined || keyHeader in unread.headers;
  const path = pathOf(targetOf(error, unread));
  answerRaw(socket, refuse(beforeLookUp(found, isKeyed), path), found.type !== 'requestTimeout');
}

/** Writes a response to a socket itself, for bytes that Node did not parse as a request. */
export function answerRaw(socket: Duplex, response: Response, lingers = true): void {
  connectionOf(socket).isAnswered = true;
  write(socket, response, lingers).catch(() => socket.destroy());
}

// Long enough for every path in a problem.
const firstLineLength = 4096;
const firstLine = /^(?:\r\n)*[A-Z]+ (\S+) HTTP\/1\.[01]\r\n/;

/** The target of the request being read, or of one whose first line has just arrived. */
function targetOf(error: Error, unread: IncomingMessage | undefined): string {
  if (unread !== undefined) return unread.url ?? '';
  if (!('rawPacket' in error) || !Buffer.isBuffer(error.rawPacket)) return '';
  const text = error.rawPacket.toString('latin1', 0, firstLineLength);
  return firstLine.exec(text)?.[1] ?? '';
}

/**
 * Writes the response and closes. Closing while the client still sends would reset the connection
 * before it reads the response, hence `lingers`. Late bytes must not become a request: only a
 * failed parser guarantees that.
 */
async function write(socket: Duplex, response: Response, lingers: boolean): Promise<void> {
  const { status, headers } = response;
  const body = await response.text();
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    ...[...headers].map(([name, value]) => `${name}: ${value}`),
    `date: ${new Date(systemClock.now()).toUTCString()}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ].join('\r\n');
  if (!socket.writable) return void socket.destroy();

  socket.write(`${head}\r\n\r\n${body}`);
  closeSoon(socket);
  if (!lingers) socket.destroy();
}

/** `undefined`: the connection itself has failed. */
function faultOf(error: Error): Fault | undefined {
  const code = 'code' in error ? String(error.code) : '';
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return fault('requestTimeout', 'The request did not arrive in time.', {
        recovery: retryLater,
      });
    case 'HPE_HEADER_OVERFLOW':
      return headersTooLarge;
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return fault('contentTooLarge', 'The chunk extensions are too long.');
    case 'HPE_INVALID_EOF_STATE':
      return fault('badRequest', 'The request ended before it was complete.');
    default:
      return code.startsWith('HPE_') ? fault('badRequest', 'This is not HTTP.') : undefined;
  }
}
