import { connect } from 'node:net';
import { captureAfter, type Request } from './request.ts';

/** The counts of a load generator. */
export interface Load {
  /** All responses, including those of the warm-up. */
  readonly answered: number;
  /** Wrong responses and lost connections. */
  readonly wrong: number;
  readonly firstWrong?: string;
  /** Requests a second, after the warm-up. */
  readonly rate: number;
  /** When that was. */
  readonly measured: Span;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

/** Times of the machine, in milliseconds, that its processes share. */
export interface Span {
  readonly from: number;
  readonly until: number;
}

export const noLoad: Load = {
  ...{ answered: 0, wrong: 0, rate: 0, p50: 0, p99: 0 },
  measured: { from: 0, until: 0 },
};

export interface Duration {
  readonly connections: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
}

export interface LoadTask extends Duration {
  /** The servers' ports, which the connections use in turn. */
  readonly ports: readonly number[];
  readonly requests: readonly Request[];
  /** True: begins again after the last request. False: the measurement ends there. */
  readonly repeats: boolean;
}

/** Keeps every connection busy with one request at a time, until the time or the requests are over. */
export async function generate(task: LoadTask): Promise<Load> {
  const { ports, requests, repeats } = task;
  const meter = createMeter(task);
  let next = 0;

  function take(): Request | undefined {
    // At least one request, even if connecting took all the time.
    if (next > 0 && meter.isOver()) return undefined;
    if (next === requests.length && repeats) next = 0;
    if (next * 2 >= requests.length && !repeats) meter.endWarmUp();
    return requests[next++];
  }

  async function keepBusy(_: unknown, index: number): Promise<void> {
    const connection = await openConnection(ports[index % ports.length] ?? 0);
    for (let request = take(); request !== undefined; ) {
      const sentAt = performance.now();
      const answer = await connection.exchange(request.text);
      if (answer === undefined) return meter.noteWrong('the connection was lost');
      meter.note(sentAt);
      const isRight = Number(answer.slice(9, 12)) === request.status;
      if (!isRight || !answer.includes(request.holds)) meter.noteWrong(answer);
      request = (request.isCaptured ? captureAfter(answer) : undefined) ?? take();
    }
    connection.close();
  }

  await Promise.all(Array.from({ length: task.connections }, keepBusy));
  return meter.load();
}

/** Measures what ends after the warm-up. Later responses count as answered, but are not measured. */
function createMeter({ warmUpSeconds, seconds }: Duration) {
  const latencies: number[] = [];
  let [answered, wrong] = [0, 0];
  let firstWrong: string | undefined;
  let warmAt = performance.now() + warmUpSeconds * 1000;
  let lastAt = warmAt;
  const isOver = (now = performance.now()) => now >= warmAt + seconds * 1000;

  return {
    isOver: () => isOver(),
    /** For a machine that is already half through the requests. */
    endWarmUp() {
      const now = performance.now();
      if (now < warmAt) lastAt = warmAt = now;
    },
    note(sentAt: number) {
      const now = performance.now();
      answered += 1;
      if (now < warmAt || isOver(now)) return;
      latencies.push(now - sentAt);
      lastAt = now;
    },
    noteWrong(answer: string) {
      wrong += 1;
      firstWrong ??= answer.slice(0, 1000);
    },
    load(): Load {
      latencies.sort((a, b) => a - b);
      return {
        answered,
        wrong,
        ...(firstWrong !== undefined && { firstWrong }),
        rate: lastAt > warmAt ? (latencies.length / (lastAt - warmAt)) * 1000 : 0,
        measured: {
          from: performance.timeOrigin + warmAt,
          until: performance.timeOrigin + lastAt,
        },
        p50: percentile(latencies, 0.5),
        p99: percentile(latencies, 0.99),
      };
    },
  };
}

/**
 * One keep-alive connection that carries one request at a time: a socket with the minimum of
 * HTTP/1.1. A client library costs as much CPU as the measured servers, and both share a machine.
 */
async function openConnection(port: number) {
  let received = '';
  let settle: (answer?: string) => void = () => {};
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  socket.setEncoding('latin1'); // one character a byte, so that lengths agree
  socket.on('data', (chunk: string) => {
    received = received === '' ? chunk : received + chunk;
    if (!isComplete(received)) return;
    const answer = received;
    received = '';
    settle(answer);
  });
  socket.once('close', () => settle());
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.once('connect', resolve);
  });
  return {
    /** Resolves with the response; with `undefined` if the connection is lost. */
    exchange: (text: string) =>
      new Promise<string | undefined>((resolve) => {
        settle = resolve;
        if (socket.destroyed) resolve(undefined);
        else socket.write(text, 'latin1');
      }),
    close: () => socket.destroy(),
  };
}

const contentLength = /\r\ncontent-length: *(\d+)/i;

function isComplete(answer: string): boolean {
  const headEnd = answer.indexOf('\r\n\r\n');
  if (headEnd < 0) return false;
  const length = contentLength.exec(answer)?.[1];
  if (length !== undefined) return answer.length >= headEnd + 4 + Number(length);
  return answer.endsWith('\r\n0\r\n\r\n'); // chunked
}

/** Takes numbers in ascending order; returns 0 for an empty list. */
function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const above = sorted[Math.floor(sorted.length / 2)] ?? 0;
  return ((sorted[Math.ceil(sorted.length / 2) - 1] ?? 0) + above) / 2;
}
