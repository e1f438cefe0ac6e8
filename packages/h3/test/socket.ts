import { connect } from 'node:net';

/** All bytes of a raw connection, until it closes or `until` appears. */
export function exchangeRaw(port: number, text: string, until?: RegExp): Promise<string> {
  return new Promise((resolve) => {
    let received = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(text, 'latin1'));
    socket.on('data', (data) => {
      received += data.toString('latin1');
      if (until?.test(received) === true) socket.destroy();
    });
    socket.on('error', () => {}); // then it closes
    socket.on('close', () => resolve(received));
  });
}

/** Parses a response from the wire into a `Response`. */
export function parseRaw(received: string): Response {
  const [head = '', body = ''] = received.split('\r\n\r\n');
  const [status = '', ...lines] = head.split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  return new Response(body, { status: Number(status.split(' ')[1]), headers });
}
