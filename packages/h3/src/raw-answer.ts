import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Fault, fault } from '@chairside/core';

/** Answers on a socket itself, where Node made no request of what came in. */
export interface RawAnswers {
  /** Remembers which response a connection waits for. */
  readonly watch: (response: ServerResponse) => void;
  readonly answer: (socket: Duplex, fault: Fault) => void;
  /** For a server's `clientError`. */
  readonly answerError: (error: Error, socket: Duplex) => void;
}

/** How long a client that still sends may take to read the answer. */
const lingerMs = 1000;

export function createRawAnswers(refuse: (fault: Fault) => Response): RawAnswers {
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
    if (fault === undefined || isBusy(responses.get(socket))) socket.destroy();
    else answer(socket, fault);
  }

  function answer(socket: Duplex, fault: Fault): void {
    answered.add(socket);
    write(socket, refuse(fault), fault.type !== 'requestTimeout').catch(() => socket.destroy());
  }
}

function isBusy(response: ServerResponse | undefined): boolean {
  if (response === undefined || response.writableFinished) return false;
  return response.req.complete || response.headersSent;
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
      return fault('headersTooLarge', 'The headers have at most 16384 bytes.');
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return fault('contentTooLarge', 'The chunk extensions are too long.');
    default:
      return code.startsWith('HPE_') ? fault('badRequest', 'This is not HTTP.') : undefined;
  }
}
