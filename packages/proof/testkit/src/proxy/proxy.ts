import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type NetConnectOpts, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The fault of a request. */
export type ProxyFault =
  /** It does not arrive, and the connection ends. */
  | 'loseRequest'
  /** Half of it arrives, and the connection ends. */
  | 'tearRequest'
  /** It is carried out; its reply is lost, and the connection ends. */
  | 'loseReply'
  /** It does not arrive, and the connection stays open silently. */
  | 'stall'
  /** The connection ends. The request arrives on `letGo`, if at all. */
  | 'delayRequest';

export interface Strike {
  readonly fault: ProxyFault;
  /** A text of the struck request, or of the first counted one. Default: any request. */
  readonly marker?: string;
  /** The number of requests that pass first, counted from the one with the marker. Default: 0. */
  readonly after?: number;
  /**
   * For `loseReply`: the number of reply messages that still arrive. Needs `replyLength`. Default:
   * 0.
   */
  readonly replies?: number;
  /** From the strike until `calm` the server takes no request and no connection. */
  readonly isOutage?: boolean;
  /** The bytes that the client receives before its connection ends: an error of the protocol. */
  readonly lastWords?: Uint8Array;
}

export interface ProxyOptions {
  /** The address of the server. */
  readonly to: { readonly host: string; readonly port: number } | { readonly path: string };
  /** Listens on a Unix socket of this name, in a private folder. Default: a free TCP port. */
  readonly socketName?: string;
  /** The length of the first message of a reply; `undefined` if that needs more bytes. */
  readonly replyLength?: (unread: Buffer) => number | undefined;
}

/** A proxy between a store and its server that loses messages. */
export interface ServerProxy {
  /** The port, or else the socket, that it listens on. */
  readonly port?: number;
  readonly socketFolder?: string;
  /** The number of requests so far, from all connections. */
  requests(): number;
  /** The number of messages in the reply to the last request with a marker. */
  replies(): number;
  /** Strikes once. A later call replaces an earlier pending one. */
  strike(strike: Strike): void;
  /** Cancels a pending strike, and ends an outage. Returns whether it had already struck. */
  calm(): boolean;
  /** Ends every connection, as a crashed server or a restarted proxy does. */
  kill(): void;
  /** Lets a delayed request arrive, and waits until the server has ended that connection. */
  letGo(): Promise<void>;
  /** Resolves when the server has ended the struck connection. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** A received chunk counts as one request, which is true if the driver writes it at once. */
export async function openProxy({
  to,
  socketName,
  replyLength,
}: ProxyOptions): Promise<ServerProxy> {
  const sockets = new Set<Socket>();
  let requests = 0;
  let planned: Strike | undefined;
  let passed = 0;
  let isDown = false;
  /** The connection whose requests are counted, once the marker was seen. */
  let marked: Socket | undefined;
  let counter: ReplyCounter | undefined;
  let delayed: { readonly upstream: Socket; readonly data: Buffer } | undefined;
  let struck: Promise<unknown> = Promise.resolve();

  /** The planned strike, if it is due for this request. */
  function due(client: Socket, data: Buffer): Strike | undefined {
    if (planned === undefined) return undefined;
    const { marker, after = 0 } = planned;
    if (marker !== undefined && marked === undefined && data.includes(marker)) marked = client;
    if (marker !== undefined && marked !== client) return undefined;
    passed += 1;
    if (passed <= after) return undefined;
    const strike = planned;
    isDown = strike.isOutage === true;
    forget();
    return strike;
  }

  function forget(): void {
    planned = undefined;
    marked = undefined;
    passed = 0;
  }

  const server = createServer((client) => {
    const upstream = connect(addressOf(to));
    let watched: { readonly strike: Strike; readonly counter: ReplyCounter } | undefined;
    let isStruck = false;
    if (isDown) client.destroy();
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => sockets.delete(socket));
    }

    /** The server processes the received bytes, and then reads the end. */
    function end(lastWords: Uint8Array | undefined): void {
      isStruck = true;
      struck = once(upstream, 'close');
      upstream.resume();
      if (lastWords === undefined) client.destroy();
      else client.end(lastWords);
    }

    client.on('data', (data) => {
      if (isStruck) return;
      requests += 1;
      if (isDown) {
        client.destroy();
        return;
      }
      const strike = due(client, data);
      if (strike === undefined) {
        upstream.write(data);
        return;
      }
      switch (strike.fault) {
        case 'stall':
          isStruck = true;
          return;
        case 'loseReply':
          counter = createReplyCounter(replyLength);
          watched = { strike, counter };
          upstream.write(data);
          return;
        case 'delayRequest':
          delayed = { upstream, data };
          end(strike.lastWords);
          return;
        case 'tearRequest':
          upstream.write(data.subarray(0, data.length / 2));
      }
      end(strike.lastWords);
      upstream.end();
    });

    upstream.on('data', (data) => {
      if (watched === undefined) {
        if (!isStruck) client.write(data);
        return;
      }
      const { strike } = watched;
      for (const message of watched.counter.read(data)) {
        if (!isStruck && message.index === (strike.replies ?? 0)) {
          end(strike.lastWords);
          upstream.end();
        }
        if (!isStruck) client.write(message.bytes);
      }
    });
    client.on('close', () => {
      if (!isStruck) upstream.destroy();
    });
    upstream.on('close', () => client.destroy());
  });

  const folder =
    socketName === undefined ? undefined : mkdtempSync(join(tmpdir(), 'chairside-proxy-'));
  server.listen(
    folder === undefined || socketName === undefined
      ? { host: '127.0.0.1', port: 0 }
      : { path: join(folder, socketName) },
  );
  await once(server, 'listening');
  const address = server.address();

  function kill(): void {
    for (const socket of sockets) socket.destroy();
  }

  return {
    ...(typeof address === 'object' && address !== null && { port: address.port }),
    ...(folder !== undefined && { socketFolder: folder }),
    requests: () => requests,
    replies: () => counter?.count() ?? 0,
    strike: (strike) => {
      forget();
      planned = strike;
    },
    calm: () => {
      const hadStruck = planned === undefined;
      isDown = false;
      forget();
      return hadStruck;
    },
    kill,
    letGo: async () => {
      if (delayed === undefined) throw new Error('No request was delayed');
      const { upstream, data } = delayed;
      delayed = undefined;
      upstream.end(data);
      await struck;
    },
    settled: async () => {
      await struck;
    },
    close: async () => {
      kill();
      server.close();
      if (folder !== undefined) rmSync(folder, { recursive: true });
    },
  };
}

function addressOf(to: ProxyOptions['to']): NetConnectOpts {
  return 'path' in to ? { path: to.path } : { host: to.host, port: to.port };
}

interface Message {
  /** Its place in the reply, from 0. */
  readonly index: number;
  readonly bytes: Buffer;
}

type ReplyCounter = ReturnType<typeof createReplyCounter>;

/**
 * Splits a server's bytes into messages, and counts them.
 * @param lengthOf if omitted, each chunk is a message.
 */
function createReplyCounter(lengthOf: ProxyOptions['replyLength']) {
  let unread = Buffer.alloc(0);
  let count = 0;

  function next(bytes: Buffer): Message {
    count += 1;
    return { index: count - 1, bytes };
  }

  return {
    read(data: Buffer): readonly Message[] {
      if (lengthOf === undefined) return [next(data)];
      const messages: Message[] = [];
      unread = Buffer.concat([unread, data]);
      for (;;) {
        const length = lengthOf(unread);
        if (length === undefined || unread.length < length) return messages;
        messages.push(next(unread.subarray(0, length)));
        unread = unread.subarray(length);
      }
    },
    count: () => count,
  };
}
