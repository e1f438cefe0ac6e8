import { openVisit } from '../shop.ts';
import { startPhone } from '../stripe-phone.ts';
import { memoryJournal } from '../till.ts';
import type { Row } from './sweep.ts';

/** How the SDK ends a collect that is canceled around the tap, or answers a call that did its work. */
const endings = [
  'canceled',
  'timesOut',
  'isEmpty',
  'throws',
  'twice',
  'late',
  'veryLate',
  'never',
  'offline',
] as const;
type Ending = (typeof endings)[number];

const tapMs = 3000;
/** The time from the tap to the authorization at the processor. */
const approvalMs = 600;
const aroundMs = 1000;
/** Later than a person waits after Stop, and later than the register waits for the end of a collect. */
const lateMs = { late: 4000, veryLate: 20_000 };
const forwardMs = 60_000;

/** What happens besides, each at a time or a point of the flow: before or after a call of the SDK or a request. */
interface Plan {
  readonly ending: Ending;
  readonly stopMs?: number;
  readonly stopPoint?: number;
  readonly killPoint?: number;
  /** The call of the SDK that is answered badly, although it did its work. */
  readonly badCall?: number;
}

interface Played {
  /** The broken promises. */
  readonly faults: readonly string[];
  readonly points: number;
  readonly calls: number;
}

const codes: Partial<Readonly<Record<Ending, string>>> = {
  canceled: 'CANCELED',
  timesOut: 'REQUEST_TIMED_OUT',
  offline: 'NOT_CONNECTED_TO_INTERNET',
};
const never = () => new Promise<never>(() => {});
const failedAs = (code: string) => ({ error: { code, message: code } });

/** One payment over the SDK, and what the barber does after it; returns the broken promises. */
async function play({ ending, stopMs, stopPoint, killPoint, badCall }: Plan): Promise<Played> {
  const { shop, appointmentId } = await openVisit();
  const journal = memoryJournal();
  const faults: string[] = [];
  let points = 0;
  let calls = 0;
  let isDead = false;
  let isTapped = false;
  let stop = () => {};
  let hasDied = () => {};
  const died = new Promise<undefined>((resolve) => {
    hasDied = () => resolve(undefined);
  });

  async function point(): Promise<unknown> {
    if (isDead) return never();
    points += 1;
    if (points === stopPoint) stop();
    if (points !== killPoint) return;
    isDead = true;
    hasDied();
    return never();
  }
  async function act<T>(work: () => Promise<T>): Promise<T> {
    await point();
    const value = await work();
    await point();
    return value;
  }
  const phone = startPhone(shop, {
    journal,
    fetch: (url, init) => act(() => shop.fetch(url, init)),
  });
  const { time, register, sdk, terminal } = phone;
  const later = (ms: number) => new Promise<void>((resolve) => void time.after(ms, resolve));
  stop = register.stop;
  let hasOpened = () => {};
  const opened = new Promise<void>((resolve) => {
    hasOpened = resolve;
  });
  let cancel = () => {};
  let present = () => {};

  /** A call of the SDK. The chosen one does its work, and answers as the ending says. */
  function call<T>(work: () => Promise<T>, bad: T): Promise<T> {
    calls += 1;
    const isBad = calls === badCall;
    return act(async () => {
      const value = await work();
      if (!isBad) return value;
      if (ending === 'never') return never();
      if (ending === 'throws') throw new Error('bridge');
      if (ending === 'late' || ending === 'veryLate') await later(lateMs[ending]);
      if (ending === 'twice') return work();
      return ending === 'late' || ending === 'veryLate' ? value : bad;
    });
  }
  const code = codes[ending];
  const bad = code === undefined ? {} : failedAs(code);

  terminal.attach({
    initialize: () => call(sdk.initialize, bad),
    getConnectionStatus: () => call(sdk.getConnectionStatus, 'notConnected'),
    getConnectedReader: () => call(sdk.getConnectedReader, {}),
    getOfflineStatus: () => call(sdk.getOfflineStatus, { sdk: { networkStatus: 'offline' } }),
    easyConnect: (params) => call(() => sdk.easyConnect(params), bad),
    cancelEasyConnect: () => call(sdk.cancelEasyConnect, bad),
    disconnectReader: () => call(sdk.disconnectReader, bad),
    clearCachedCredentials: () => call(sdk.clearCachedCredentials, bad),
    retrievePaymentIntent(clientSecret) {
      present = () => void shop.processor.presentCard(clientSecret, 'visa_credit');
      return call(() => sdk.retrievePaymentIntent(clientSecret), bad);
    },
    processPaymentIntent({ paymentIntent }) {
      calls += 1;
      const isBad = calls === badCall;
      return act(
        () =>
          new Promise((resolve, reject) => {
            hasOpened();
            let isClosed = false;
            const approved = { paymentIntent: { ...paymentIntent, status: 'requiresCapture' } };
            const offlineDetails = { requiresUpload: true };
            const kept = { paymentIntent: { ...approved.paymentIntent, offlineDetails } };
            const end = () => {
              if (ending === 'never') return;
              if (ending === 'throws') return reject(new Error('bridge'));
              if (ending === 'isEmpty') return resolve({});
              if (ending === 'late' || ending === 'veryLate') {
                return void time.after(lateMs[ending], () => resolve(approved));
              }
              if (ending === 'offline' && isTapped) return resolve(kept);
              resolve(failedAs(ending === 'timesOut' ? 'REQUEST_TIMED_OUT' : 'CANCELED'));
              if (ending === 'twice') resolve(approved);
            };
            time.after(tapMs, () => {
              if (isClosed || isDead) return;
              isTapped = true;
              time.after(ending === 'offline' ? forwardMs : approvalMs, present);
              time.after(approvalMs, () => {
                if (isBad) return end();
                if (ending !== 'never') resolve(ending === 'offline' ? kept : approved);
              });
            });
            cancel = () => {
              // A hanging screen stays open, so that the customer may still tap.
              isClosed = ending !== 'never' && ending !== 'late' && ending !== 'veryLate';
              if (isClosed) time.after(50, end);
              else end();
            };
          }),
      );
    },
    async cancelProcessPaymentIntent() {
      return call(async () => {
        cancel();
        return {};
      }, bad);
    },
  });

  const watch = (by: typeof register) =>
    by.subscribe(() => {
      const { charged, step, reason } = by.getSnapshot();
      if (isDead && by === register) return;
      if (charged === 'no' && isTapped) faults.push(`untrue: ${step} ${reason}, charged no`);
      const isPaid = shop.processor.entries().some(({ status }) => status === 'captured');
      if (charged === 'yes' && !isPaid) faults.push(`untrue: ${step} ${reason}, charged yes`);
    });
  watch(register);

  const taking = register.take({ appointmentId });
  if (stopMs !== undefined) {
    await Promise.race([opened, taking]);
    time.after(stopMs, register.stop);
  }
  await Promise.race([taking, died]);
  await later(forwardMs + lateMs.veryLate);
  if (journal.kept.size > 0) {
    // The app is opened again, which ends what hangs.
    const next = startPhone(shop, { journal });
    watch(next.register);
    await next.register.resume(appointmentId);
  }
  const [entry] = shop.processor.entries();
  if (isTapped && entry?.status !== 'captured') faults.push(`dropped: ${entry?.status}`);
  return { faults, points, calls };
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

/** The plans of one ending by their row; Stop is drawn at each `stepMs`th millisecond around the tap. */
async function plansOf(ending: Ending, stepMs: number): Promise<Readonly<Record<string, Plan[]>>> {
  const { points, calls } = await play({ ending: 'canceled' });
  const stops: Plan[] = [];
  for (let stopMs = tapMs - aroundMs; stopMs <= tapMs + aroundMs; stopMs += stepMs) {
    stops.push({ ending, stopMs });
  }
  return {
    'Stop around the tap': stops,
    'Stop at every point': upTo(points).map((stopPoint) => ({ ending, stopPoint })),
    'killed at every point': upTo(points).map((killPoint) => ({ ending, killPoint })),
    'every call of the SDK': upTo(calls).map((badCall) => ({ ending, badCall })),
    'every call of the SDK, with Stop': upTo(calls).flatMap((badCall) =>
      [tapMs - 50, tapMs + 50, tapMs + approvalMs].map((stopMs) => ({ ending, badCall, stopMs })),
    ),
  };
}

export async function* sweepStops(stepMs: number): AsyncGenerator<Row> {
  for (const ending of endings) {
    for (const [what, plans] of Object.entries(await plansOf(ending, stepMs))) {
      const faults: string[] = [];
      for (const plan of plans) {
        const { faults: found } = await play(plan);
        faults.push(...found.map((fault) => `${what}, ${JSON.stringify(plan)}: ${fault}`));
      }
      const kills = plans.filter(({ killPoint }) => killPoint !== undefined).length;
      yield {
        what: `${what}: the SDK ends as ${ending}`,
        runs: plans.length,
        kills,
        lost: 0,
        faults,
      };
    }
  }
}
