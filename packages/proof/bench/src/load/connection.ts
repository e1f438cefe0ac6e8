import { connect } from 'node:net';

/**
 * One keep-alive connection that carries one request at a time: a socket with the minimum of
 * HTTP/1.1. A client library costs as much CPU as the measured servers, and both share a machine.
 */
export interface Connection {
  readonly send: (text: string) => void;
  readonly close: () => void;
}

export function openConnection(
  port: number,
  onAnswer: (answer: string) => void,
  onLost: () => void,
): Promise<Connection> {
  return new Promise((resolve, reject) => {
    let received = '';
    let isClosed = false;
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    socket.setEncoding('latin1'); // one character a byte, so that lengths agree
    socket.on('data', (chunk: string) => {
      received = received === '' ? chunk : received + chunk;
      if (!isComplete(received)) return;
      const answer = received;
      received = '';
      onAnswer(answer);
    });
    socket.once('error', reject);
    socket.once('close', () => {
      if (!isClosed) onLost();
    });
    socket.once('connect', () =>
      resolve({
        send: (text) => socket.write(text, 'latin1'),
        close() {
          isClosed = true;
          socket.destroy();
        },
      }),
    );
  });
}

const contentLength = /\r\ncontent-length: *(\d+)/i;

function isComplete(answer: string): boolean {
  const headEnd = answer.indexOf('\r\n\r\n');
  if (headEnd < 0) return false;
  const length = contentLength.exec(answer)?.[1];
  if (length !== undefined) return answer.length >= headEnd + 4 + Number(length);
  return answer.endsWith('\r\n0\r\n\r\n'); // chunked
}

export function statusOf(answer: string): number {
  return Number(answer.slice(9, 12));
}
