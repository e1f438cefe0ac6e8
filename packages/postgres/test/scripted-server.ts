import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

/** The server's reply to one statement: its command tag, and the column `answers` of its row. */
export interface Statement {
  readonly tag: string;
  readonly answers?: string | null;
}

/** Replies with these statements to the next message, and to every further one with the last. */
export type Script = (readonly Statement[])[];

/** Speaks PostgreSQL's protocol, and replies by a script, each time after so many milliseconds. */
export async function startScriptedServer(script: Script, delayMs = 0) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let isStarted = false;
    socket.on('data', (chunk) => {
      if (isStarted && !isWholeMessage(chunk)) return;
      const statements = isStarted && script.length > 1 ? script.shift() : script[0];
      const replies = isStarted ? (statements ?? []).map(replyOf) : [message('R', int32(0))];
      isStarted = true;
      const reply = Buffer.concat([...replies, message('Z', Buffer.from('I'))]);
      if (delayMs === 0) socket.write(reply);
      else setTimeout(() => socket.write(reply), delayMs);
    });
    socket.on('error', () => {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('It listens on a port');
  return {
    config: { host: '127.0.0.1', port: address.port, user: 'any', database: 'any', ssl: false },
    /** The number of connections so far. */
    connections: () => sockets.size,
    async close(): Promise<void> {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A text, or statements with their end (`Sync`). */
function isWholeMessage(chunk: Buffer): boolean {
  return chunk.toString('latin1', 0, 1) === 'Q' || chunk.toString('latin1').endsWith('S\0\0\0\x04');
}

function replyOf({ tag, answers }: Statement): Buffer {
  const complete = message('C', Buffer.from(`${tag}\0`));
  if (answers === undefined) return complete;
  const cell = answers === null ? int32(-1) : Buffer.concat([int32(answers.length), text(answers)]);
  // Table, column, type (text), its size, its modifier and the format of the cells.
  const column = [text('answers\0'), int32(0), int16(0), int32(25), int16(-1), int32(-1), int16(0)];
  return Buffer.concat([
    message('T', Buffer.concat([int16(1), ...column])),
    message('D', Buffer.concat([int16(1), cell])),
    complete,
  ]);
}

function message(kind: string, body: Buffer): Buffer {
  return Buffer.concat([text(kind), int32(body.length + 4), body]);
}

const text = (value: string) => Buffer.from(value, 'latin1');

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}
