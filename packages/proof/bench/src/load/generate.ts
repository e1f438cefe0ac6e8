import type { Load } from '../job.ts';
import { percentile } from '../report/stats.ts';
import { openConnection, statusOf } from './connection.ts';
import { captureAfter } from './follow-up.ts';
import type { Request } from './request.ts';

export interface LoadTask {
  /** The servers' ports, which the connections use in turn. */
  readonly ports: readonly number[];
  readonly connections: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
  readonly requests: readonly Request[];
  /**
   * True: begins again with the first request after the last. False: the measurement ends there.
   */
  readonly repeats: boolean;
}

/** Keeps every connection busy with one request at a time, until the time or the requests are over. */
export async function generate(task: LoadTask): Promise<Load> {
  const { ports, requests, repeats } = task;
  const latencies: number[] = [];
  let answered = 0;
  let wrong = 0;
  let firstWrong: string | undefined;
  let next = 0;

  let warmAt = performance.now() + task.warmUpSeconds * 1000;
  let endsAt = warmAt + task.seconds * 1000;
  let lastAt = warmAt;

  function take(): Request | undefined {
    const now = performance.now();
    // At least one request, even if connecting took all the time.
    if (next > 0 && now >= endsAt) return undefined;
    if (next === requests.length && repeats) next = 0;
    if (next * 2 >= requests.length && !repeats && now < warmAt) startMeasuring(now);
    return requests[next++];
  }

  /** Ends the warm-up early on a machine that is already half through the requests. */
  function startMeasuring(now: number): void {
    warmAt = now;
    lastAt = now;
    endsAt = now + task.seconds * 1000;
  }

  function note({ status, holds }: Request, answer: string, sentAt: number): void {
    const now = performance.now();
    answered += 1;
    // Responses after the end count as answered, but are not measured.
    if (now >= warmAt && now < endsAt) {
      latencies.push(now - sentAt);
      lastAt = now;
    }
    if (statusOf(answer) !== status || !answer.includes(holds)) {
      wrong += 1;
      firstWrong ??= answer;
    }
  }

  async function drive(port: number): Promise<void> {
    let current: Request | undefined;
    let sentAt = 0;
    let finish: () => void = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const sendNext = (followUp?: Request) => {
      current = followUp ?? take();
      if (current === undefined) return finish();
      sentAt = performance.now();
      connection.send(current.text);
    };
    const onAnswer = (answer: string) => {
      if (current !== undefined) note(current, answer, sentAt);
      const token = current?.captureAs;
      sendNext(token === undefined ? undefined : captureAfter(answer, token));
    };
    const onLost = () => {
      wrong += 1;
      firstWrong ??= 'the connection was lost';
      finish();
    };
    const connection = await openConnection(port, onAnswer, onLost);
    sendNext();
    await finished;
    connection.close();
  }

  await Promise.all(
    Array.from({ length: task.connections }, (_, index) => drive(ports[index % ports.length] ?? 0)),
  );

  latencies.sort((a, b) => a - b);
  return {
    answered,
    wrong,
    ...(firstWrong !== undefined && { firstWrong: firstWrong.slice(0, 1000) }),
    rate: lastAt > warmAt ? (latencies.length / (lastAt - warmAt)) * 1000 : 0,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
  };
}
