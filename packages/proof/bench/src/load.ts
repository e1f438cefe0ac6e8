import { once } from 'node:events';
import { connect } from 'node:net';
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';

/** One request, and what its sender does with the response. */
export interface Call {
  readonly operation: string;
  readonly text: string;
  readonly status: number;
  /** The processor's part of the time, which is not counted. */
  readonly processorMs?: number;
  /** The longest time before it is sent, if it follows another. */
  readonly afterMs?: number;
  readonly next?: (answer: string) => Call | undefined;
}

export type Load = ReturnType<typeof createLoad>;

/** Sends requests to these ports, and measures those that are due in the time after the warm-up. */
export function createLoad(ports: readonly number[], seconds: number, warmUp = 0) {
  const idle = new Map<number, Connection[]>(ports.map((port) => [port, []]));
  const warmAt = performance.now() + warmUp * 1000;
  const portOf = (number: number) => ports[number % ports.length] ?? 0;
  const load = {
    /** In microseconds, by operation. */
    times: new Map<string, RecordableHistogram>(),
    wrong: Array.of<string>(),
    captured: 0,
    /** The measured time; `lastAt` is earlier than `endAt` if the calls came to an end. */
    ...{ warmAt, lastAt: warmAt, endAt: warmAt + seconds * 1000 },
    ...{ send, open, closed },
    close: () => [...idle.values()].flat().forEach((connection) => void connection.close()),
  };

  /** Counts from the moment at which the request was due. Returns the call that follows. */
  async function send(call: Call, port: number, due: number): Promise<Call | undefined> {
    const { operation, status, processorMs = 0 } = call;
    const from = Math.min(performance.now(), due + 2); // a timer is late, and no server
    const connection = idle.get(port)?.pop() ?? (await openConnection(port).catch(() => undefined));
    const answer = await connection?.exchange(call.text);
    const now = performance.now();
    if (!connection || answer?.startsWith(`${status}`, 9) !== true) {
      load.wrong.push(`${operation}: ${answer?.slice(0, 600) ?? 'the connection was lost'}`);
      return undefined;
    }
    idle.get(port)?.push(connection);
    if (operation === 'capture') load.captured += 1;
    if (from >= warmAt && from < load.endAt) {
      const histogram = load.times.get(operation) ?? createHistogram();
      load.times.set(operation, histogram);
      histogram.record(Math.max(1, Math.round((now - from - processorMs) * 1000)));
      load.lastAt = Math.min(now, load.endAt);
    }
    return call.next?.(answer);
  }

  /** Sends each call of a visit when it is due: a random time after the response before it. */
  async function follow(first: Call, port: number, begin: number): Promise<void> {
    let due = begin;
    for (let call: Call | undefined = first; call !== undefined; ) {
      if (due > performance.now()) await delay(Math.max(1, due - performance.now()));
      call = await send(call, port, due);
      due = performance.now() + Math.random() * (call?.afterMs ?? 0);
    }
  }

  /** Begins visits at random times, whether or not earlier ones have ended. */
  async function open(perSecond: number, visit: (number: number) => Call): Promise<void> {
    const running = new Set<Promise<void>>();
    let due = performance.now();
    for (let number = 0; due < load.endAt; number += 1) {
      due -= (Math.log(1 - Math.random()) * 1000) / perSecond;
      if (due > performance.now()) await delay(Math.max(1, due - performance.now()));
      const visiting = follow(visit(number), portOf(number), due);
      running.add(visiting);
      void visiting.then(() => running.delete(visiting));
    }
    await Promise.all(running);
  }

  /** Keeps callers busy with one call at a time, until the time or the calls are over. */
  async function closed(callers: number, take: () => Call | undefined): Promise<void> {
    const keepBusy = async (_: unknown, index: number) => {
      for (let call = take(); call && performance.now() < load.endAt; call = take()) {
        await send(call, portOf(index), performance.now());
      }
    };
    await Promise.all(Array.from({ length: callers }, keepBusy));
  }

  return load;
}

type Connection = Awaited<ReturnType<typeof openConnection>>;

/** Carries one request at a time. A client library would cost as much CPU as the servers beside it. */
async function openConnection(port: number) {
  let received = '';
  let settle: (answer?: string) => void = () => {};
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  socket.setEncoding('latin1'); // one character a byte, so that lengths agree
  socket.on('data', (chunk: string) => {
    received += chunk;
    if (!isComplete(received)) return;
    const answer = received;
    received = '';
    settle(answer);
  });
  await once(socket, 'connect');
  socket.on('error', () => {}).once('close', () => settle());
  return {
    /** Resolves with the response; with `undefined` if the connection is lost. */
    exchange(text: string): Promise<string | undefined> {
      const { promise, resolve } = Promise.withResolvers<string | undefined>();
      settle = resolve;
      if (socket.destroyed) resolve(undefined);
      else socket.write(text, 'latin1');
      return promise;
    },
    close: () => socket.destroy(),
  };
}

function isComplete(answer: string): boolean {
  const headEnd = answer.indexOf('\r\n\r\n');
  if (headEnd < 0) return false;
  const length = /\r\ncontent-length: *(\d+)/i.exec(answer)?.[1];
  if (length !== undefined) return answer.length >= headEnd + 4 + Number(length);
  return answer.endsWith('\r\n0\r\n\r\n'); // chunked
}
