import { connect } from 'node:net';
import type { GivenAnswer } from '@chairside/spec/contract';

const patienceMs = 15_000;

/**
 * Sends the bytes, and returns all received bytes until the connection ends. The sender ends it
 * only when the service is idle, because it may wait for more of the request, or for another one.
 */
export function exchange(path: string, bytes: Buffer, isIdle: () => boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    const received: Buffer[] = [];
    const socket = connect(path, () => socket.write(bytes));
    let idleTicks = 0;
    const tick = setInterval(() => {
      idleTicks = isIdle() ? idleTicks + 1 : 0;
      if (idleTicks === 2) socket.end();
    }, 10);
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`the connection does not end: ${JSON.stringify(bytes.toString('latin1'))}`));
    }, patienceMs);
    socket.on('data', (data) => received.push(data));
    socket.on('error', () => {}); // then it closes
    socket.on('close', () => {
      clearInterval(tick);
      clearTimeout(timer);
      resolve(Buffer.concat(received).toString('utf8'));
    });
  });
}

/** Parses the received bytes: one response after the other. */
export function readAnswers(received: string): GivenAnswer[] {
  if (received === '') return [];
  return received
    .split(/(?=HTTP\/1\.1 \d{3} )/)
    .map(readAnswer)
    .filter(({ status }) => status !== 100);
}

function readAnswer(text: string): GivenAnswer {
  const end = text.indexOf('\r\n\r\n');
  const [line = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = new Headers();
  for (const header of lines) {
    const colon = header.indexOf(':');
    headers.append(header.slice(0, colon), header.slice(colon + 1).trim());
  }
  return { status: Number(line.split(' ')[1]), headers, text: text.slice(end + 4) };
}
