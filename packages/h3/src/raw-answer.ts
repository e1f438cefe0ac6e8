import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Fault, fault, retryLater, systemClock, withUnknownOutcome } from '@chairside/core';
import { type Connections, closeSoon, isBusy, unreadOf } from './connections.ts';
import { pathOf } from './exchange.ts';
import { keyHeader } from './input.ts';

/** Answers on a socket itself, where Node made no request of what came in. */
export interface RawAnswers {
  readonly answer: (socket: Duplex, fault: Fault) => void;
  /** For a server's `clientError`. */
  readonly answerError: (error: Error, socket: Duplex) => void;
}

/** In the place of an app; `path` is what was asked for, where that is known. */
type Refuse = (fault: Fault, path?: string) => Response;

/** Bytes (D33). */
export const maxHeaderLength = 16 * 1024;

export const headersTooLarge = fault(
  'headersTooLarge',
  `The headers have at most ${maxHeaderLength} bytes.`,
);

export function createRawAnswers(refuse: Refuse, connections: Connections): RawAnswers {
  const answered = new WeakSet<Duplex>();
  return { answer, answerError };

  function answerError(error: Error, socket: Duplex): void {
    if (answered.has(socket)) return;
    const fault = faultOf(error);
    if (fault === undefined) return void socket.destroy();
    const connection = connections.of(socket);
    // Requests that were read in full are carried out, so they are answered: then it closes.
    connection.isBroken = true;
    if (isBusy(connection)) return;
    const unread = unreadOf(connection)?.req;
    answer(socket, beforeLookUp(fault, unread), pathOf(targetOf(error, unread)));
  }

  function answer(socket: Duplex, fault: Fault, path?: string): void {
    answered.add(socket);
    write(socket, refuse(fault, path), fault.type !== 'requestTimeout').catch(() =>
      socket.destroy(),
    );
  }
}

/**
 * A refusal before the request's key is looked up: `unknown` with a key, and where the headers could
 * not be read (D22). A path that does not exist stays `notApplied`.
 */
export function beforeLookUp(fault: Fault, request: IncomingMessage | undefined): Fault {
  if (fault.type === 'notFound') return fault;
  const isKeyed = request === undefined || keyHeader in request.headers;
  return isKeyed ? withUnknownOutcome(fault) : fault;
}

// Enough for every path that a problem names.
const firstLineLength = 4096;
const firstLine = /^(?:\r\n)*[A-Z]+ (\S+) HTTP\/1\.[01]\r\n/;

/** Of what was being read: a request that had begun, or one whose first line has just come. */
function targetOf(error: Error, unread: IncomingMessage | undefined): string {
  if (unread !== undefined) return unread.url ?? '';
  if (!('rawPacket' in error) || !Buffer.isBuffer(error.rawPacket)) return '';
  const text = error.rawPacket.toString('latin1', 0, firstLineLength);
  return firstLine.exec(text)?.[1] ?? '';
}

/**
 * Writes the answer and closes. Closing while the client still sends would reset the connection
 * before it reads the answer, hence `lingers`; but what comes late must not become a request after
 * all, which only a parser that has failed makes sure of.
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

/** `undefined`: the connection itself is gone. */
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
    default:
      return code.startsWith('HPE_') ? fault('badRequest', 'This is not HTTP.') : undefined;
  }
}
