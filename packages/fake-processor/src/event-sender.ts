import { type Clock, type EpochMs, err, ok, Result, ResultAsync, secondMs } from '@chairside/core';
import type { StorageFailed } from './errors.ts';
import type { FakeProcessor } from './interface.ts';

/** An event in the queue. */
export interface QueuedEvent {
  /** The event's text. Each attempt signs it again. */
  readonly payload: string;
  readonly takenAt: EpochMs;
  /** The number of failed attempts. */
  readonly attempts: number;
}

/**
 * Chooses the messages of the queue that are sent now, and their order. A repeated message is sent
 * twice. An omitted message is offered again next time.
 */
export type SendPlan = (queue: readonly QueuedEvent[], now: EpochMs) => readonly QueuedEvent[];

export const sendTwice: SendPlan = (queue) => queue.flatMap((event) => [event, event]);

export const sendOutOfOrder: SendPlan = (queue) => queue.toReversed();

/** Sends an event once it has this age, by the sender's clock. */
export function sendLate(ms: number): SendPlan {
  return (queue, now) => queue.filter(({ takenAt }) => now - takenAt >= ms);
}

export interface EventSenderOptions {
  readonly fake: Pick<FakeProcessor, 'takeEvents' | 'signEvent'>;
  /** The receiver's URL. */
  readonly url: string;
  readonly clock: Clock;
  readonly fetch?: typeof globalThis.fetch;
  /** Default: in order and once. */
  readonly plan?: SendPlan;
  /** The maximum of events in one run. Default: 100. */
  readonly batch?: number;
  /** The maximum of attempts for an event. Default: 5. */
  readonly maxAttempts?: number;
  /** The time to wait for a response. Default: 10 seconds. */
  readonly timeoutMs?: number;
}

/** The result of one run of the sender. */
export interface SendReport {
  /** The number of posted messages. */
  readonly posted: number;
  /** The number of events that the receiver accepted (with 2xx). */
  readonly accepted: number;
  /** The number of events that are given up and lost. */
  readonly givenUp: number;
  /** The number of events that are kept for the next run. */
  readonly waiting: number;
}

/** `planFailed`: the plan threw, and no message was sent. */
export type SendError = StorageFailed | { readonly kind: 'planFailed' };

export interface EventSender {
  /**
   * Posts the pending messages one by one. A second call during a run joins that run. If no
   * response arrives, the rest of the batch waits for the next run. Messages that were taken but not
   * delivered are lost when the process ends, as real messages are.
   */
  send(): ResultAsync<SendReport, SendError>;
}

/** Delivers the fake's events over HTTP as a processor does: at least once, unless it gives up. */
export function createEventSender(options: EventSenderOptions): EventSender {
  const { fake, url, clock, fetch = globalThis.fetch } = options;
  const { batch = 100, maxAttempts = 5, timeoutMs = 10 * secondMs } = options;
  const { plan = (queue: readonly QueuedEvent[]) => queue } = options;
  let queue: readonly QueuedEvent[] = [];
  let running: ResultAsync<SendReport, SendError> | undefined;

  /** Returns the status; `undefined` if no response arrived. */
  async function post(payload: string): Promise<number | undefined> {
    try {
      const { headers, payload: body } = fake.signEvent(payload);
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
        redirect: 'manual',
        // A real time-out, because the network does not follow the clock port.
        signal: AbortSignal.timeout(timeoutMs),
      });
      await response.body?.cancel();
      return response.status;
    } catch {
      return undefined;
    }
  }

  async function sendAll(planned: readonly QueuedEvent[]): Promise<SendReport> {
    const accepted = new Set<QueuedEvent>();
    const refused = new Set<QueuedEvent>();
    let posted = 0;
    for (const event of planned) {
      const status = await post(event.payload);
      posted += 1;
      (isAccepted(status) ? accepted : refused).add(event);
      if (status === undefined) break;
    }
    const open = queue
      .filter((event) => !accepted.has(event))
      .map((event) => (refused.has(event) ? { ...event, attempts: event.attempts + 1 } : event));
    queue = open.filter(({ attempts }) => attempts < maxAttempts);
    const [givenUp, waiting] = [open.length - queue.length, queue.length];
    return { posted, accepted: accepted.size, givenUp, waiting };
  }

  async function run(): Promise<Result<SendReport, SendError>> {
    const taken = fake.takeEvents(batch - queue.length);
    if (taken.isErr()) return err(taken.error);
    const now = clock.now();
    queue = [
      ...queue,
      ...taken.value.map(({ payload }) => ({ payload, takenAt: now, attempts: 0 })),
    ];
    const planned = Result.fromThrowable(plan, (): SendError => ({ kind: 'planFailed' }))(
      queue,
      now,
    );
    return planned.isErr() ? err(planned.error) : ok(await sendAll(planned.value));
  }

  return {
    send() {
      running ??= new ResultAsync(
        run().finally(() => {
          running = undefined;
        }),
      );
      return running;
    },
  };
}

function isAccepted(status: number | undefined): boolean {
  return status !== undefined && status >= 200 && status < 300;
}
