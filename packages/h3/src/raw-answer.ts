import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Fault, fault, systemClock } from '@chairside/core';
import { pathOf } from './exchange.ts';

/** Answers on a socket itself, where Node made no request of what came in. */
export interface RawAnswers {
  /** Remembers which response a connection waits for. */
  readonly watch: (response: ServerResponse) => void;
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

/** How long a client that still sends may take to read the answer. */
const lingerMs = 1000;

export function createRawAnswers(refuse: Refuse): RawAnswers {
  const responses = new WeakMap<Duplex, ServerResponse>();
  const answered = new WeakSet<Duplex>();
  return { watch, answer, answerError };

  function watch(response: ServerResponse): void {
    if (response.socket !== null) responses.set(response.socket, response);
  }

  function answerError(error: Error, socket: Duplex): void {
    if (answered.has(socket)) return;
    const fault = faultOf(error);
    // A call runs, or its answer is on the way: another one now would be taken for its answer, and
    // would say that nothing was applied. A lost connection says nothing.
    const response = responses.get(socket);
    if (fault === undefined || isBusy(response)) socket.destroy();
    else answer(socket, fault, pathOf(targetOf(error, response)));
  }

  function answer(socket: Duplex, fault: Fault, path?: string): void {
    answered.add(socket);
    write(socket, refuse(fault, path), fault.type !== 'requestTimeout').catch(() =>
      socket.destroy(),
    );
  }
}

function isBusy(response: ServerResponse | undefined): boolean {
  if (response === undefined || response.writableFinished) return false;
  return response.req.complete || response.headersSent;
}

// Enough for every path that a problem names.
const firstLineLength = 4096;
const firstLine = /^(?:\r\n)*[A-Z]+ (\S+) HTTP\/1\.[01]\r\n/;

/** Of what was being read: a request that had begun, or one whose first line has just come. */
function targetOf(error: Error, response: ServerResponse | undefined): string {
  if (response?.req.complete === false) return response.req.url ?? '';
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

  socket.on('error', () => {}); // Who is gone needs no answer.
  socket.end(`${head}\r\n\r\n${body}`);
  if (!lingers) return void socket.destroy();
  socket.resume();
  setTimeout(() => socket.destroy(), lingerMs).unref();
}

/** `undefined`: the connection itself is gone. */
function faultOf(error: Error): Fault | undefined {
  const code = 'code' in error ? String(error.code) : '';
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return fault('requestTimeout', 'The request did not arrive in time.');
    case 'HPE_HEADER_OVERFLOW':
      return headersTooLarge;
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return fault('contentTooLarge', 'The chunk extensions are too long.');
    default:
      return code.startsWith('HPE_') ? fault('badRequest', 'This is not HTTP.') : undefined;
  }
}
