import {
  createClient,
  createRegister,
  type Journal,
  type Reader,
  type Register,
  type Time,
} from '@chairside/client';
import type { Run } from '@chairside/trials';
import type { PhonePlan } from './phone-plan.ts';
import type { Screen } from './screen.ts';

/** The state that outlives the app on one phone. */
export interface Phone {
  readonly plan: PhonePlan;
  readonly kept: Map<string, string>;
  readonly screen: Screen;
  /** The number of requests, reads and writes so far, over all lives. */
  counts: { requests: number; writes: number; keys: number };
  /** From then on no response is lost, and the storage works. */
  isHealed: boolean;
}

/** One start of the app. */
export interface Life {
  readonly register: Register;
  /** Resolves if the app dies. */
  readonly died: Promise<void>;
}

const never = () => new Promise<never>(() => {});
const presentMs = 2000;

/** Starts the app. It dies at an await, or never. */
export function start(run: Run, phone: Phone, killAt: number | undefined): Life {
  const { plan, screen, counts } = phone;
  const { scheduler } = run;
  let points = 0;
  let isDead = false;
  let die = () => {};
  const died = new Promise<void>((resolve) => {
    die = resolve;
  });

  async function point(): Promise<void> {
    if (isDead) return never();
    points += 1;
    if (points !== killAt) return undefined;
    isDead = true;
    die();
    return never();
  }

  async function mortal<T>(work: () => Promise<T>): Promise<T> {
    await point();
    const value = await work();
    await point();
    return value;
  }

  const time: Time = {
    now: scheduler.clock.now,
    after(ms, act) {
      let isOver = false;
      void scheduler.after(ms, () => (isOver || isDead ? undefined : act()));
      return () => {
        isOver = true;
      };
    },
  };

  async function send(url: string, init: RequestInit): Promise<Response> {
    counts.requests += 1;
    const request = counts.requests;
    // A server dies and another one replaces it: each request is a separate action.
    const service = run.serve(plan.action + (request % 2), false);
    const { fetch } = service;
    if (fetch === undefined) throw new Error('the harness serves no HTTP');
    await scheduler.after(20, () => undefined);
    const answer = await service.answer(Promise.resolve(fetch(new Request(url, init))));
    const isLost = plan.lostAnswers.includes(request) && !phone.isHealed;
    if (answer === undefined || isLost) throw new Error('no network');
    void service.answer(service.chairside.settled());
    const paymentId = /\/contactlessPayments\/(\w+)\/captured$/.exec(url)?.[1];
    if (paymentId !== undefined && (await isRefusal(answer))) screen.refused(paymentId);
    return answer;
  }

  /** A failed write may be stored anyway. */
  async function write(act: () => void): Promise<void> {
    counts.writes += 1;
    const planned = plan.storageFaults.find(({ write }) => write === counts.writes);
    const fault = phone.isHealed ? undefined : planned;
    await scheduler.after(1, () => undefined);
    if (fault?.isKept !== false) act();
    if (fault !== undefined) throw new Error('the storage failed');
  }

  const { kept } = phone;
  const journal: Journal = {
    keys: () => mortal(async () => [...kept.keys()]),
    get: (key) => mortal(async () => kept.get(key)),
    set: (key, value) => mortal(() => write(() => void kept.set(key, value))),
    remove: (key) => mortal(() => write(() => void kept.delete(key))),
  };

  const reader: Reader = {
    ready: () => mortal(async () => undefined),
    retrieve: (clientSecret) =>
      mortal(async () => ({
        reference: clientSecret.split('_secret_', 1).join(),
        collect: () =>
          mortal(async () => {
            await scheduler.after(presentMs, () => undefined);
            return screen.tap(run, clientSecret, plan);
          }),
      })),
  };

  const client = createClient({
    baseUrl: 'http://shop.example',
    accessToken: () => `barber.${plan.barber}`,
    newKey: () => {
      counts.keys += 1;
      return `phone-${plan.action}-${counts.keys}`;
    },
    time,
    random: () => 0.5,
    fetch: (url, { method, headers, body }) =>
      mortal(() => send(url, { method, headers, body: body ?? null })),
  });
  const register = createRegister({ client, reader, journal, subject: `user-${plan.barber}` });
  register.subscribe(() => {
    if (!isDead) screen.show(run, register.getSnapshot());
  });
  return { register, died };
}

/** The app may die before it shows the response. */
async function isRefusal(answer: Response): Promise<boolean> {
  if (answer.status < 400) return false;
  const text = await answer.clone().text();
  return text.includes('"outcome":"notApplied"') && text.includes('"retry":"doNotRetry"');
}
