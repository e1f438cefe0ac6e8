import {
  type Appointment,
  type AuthContext,
  type Chairside,
  type CloudEvent,
  type CreateContactlessPaymentBody,
  createChairside,
  err,
  type Problem,
  type Result,
  ResultAsync,
  type SharePaymentBody,
} from '@chairside/core';
import type { Change, Commit, Store } from '@chairside/core/ports';
import { type BookEntry, createManualClock } from '@chairside/testkit';
import type { Harness, World } from '@chairside/trials';
import { createRandom } from '../fuzz/random.ts';

// A shop whose payments belong to several visits and barbers (D208), with races and processes that die. Amounts are in
// cents, and are added up here without any code of the core.

export const cents = (text = '0.00') => Math.round(Number(text) * 100);
export const money = (amount: number) => (amount / 100).toFixed(2);

const barbers = ['ada', 'ben', 'cem'] as const;
const barberOf = (barberId: string): AuthContext => ({
  subject: `user-${barberId}`,
  barberId,
  entitlements: ['contactlessPayments'],
});
export const owner = { subject: 'user-owner', businessIds: ['shop'] };
export const host = { subject: 'host', systemAdministrator: true };
/** The largest tip, as a part of what was paid. */
const tipShare = 0.5;

/** What a payment at the processor has kept: without refunds that did not fail, and what disputes withhold. */
export function restAt({ amountCaptured, refunds = [], disputes = [] }: BookEntry): number {
  const refunded = refunds.filter(({ state }) => state !== 'failed' && state !== 'canceled');
  const booked = disputes.flatMap(({ bookings = [] }) => bookings);
  const gone = [
    ...refunded.map(({ amount }) => -cents(amount)),
    ...booked.map(({ amount }) => cents(amount)),
  ];
  return gone.reduce((sum, one) => sum + one, cents(amountCaptured));
}

interface Visit {
  readonly id: string;
  readonly barberId: string;
  due: number;
  /** The largest due while the present acts ran side by side. */
  mostDue: number;
  /** One of these acts may leave an excess. */
  mayExceed: boolean;
  /** The sums of all commits. */
  reserved: number;
  captured: number;
  tendered: number;
  tips: number;
  /** By the answers. */
  recorded: number;
}

/** An opened payment, by the answer to its create. */
interface Opened {
  readonly id: string;
  readonly barberId: string;
  readonly visitIds: readonly string[];
  readonly isTipAlone: boolean;
  reference: string;
  isCaptured: boolean;
}

/** A run after its faults: what the callers and the host were told, and what was wrong at once. */
export interface Lived {
  readonly world: World;
  readonly chairside: Chairside;
  readonly visits: readonly Visit[];
  readonly events: readonly CloudEvent[];
  /** The acknowledged sharings, by their keys. */
  readonly sharings: ReadonlyMap<string, string>;
  readonly faults: string[];
  readonly counts: { requests: number; succeeded: number; kills: number };
  /** Lets time pass, with upkeep, and hears all events. */
  pass(ms: number): Promise<void>;
}

const fates = ['killedBefore', 'killedAfter', 'lostBefore', 'lostAfter'] as const;

/** One process, from its start to its end or its death. */
interface Process {
  readonly fate: (typeof fates)[number] | 'none';
  /** The commit that its fate befalls. */
  readonly fatal: number;
  commits: number;
  isDead: boolean;
  die(): void;
}

interface Request {
  readonly call: (chairside: Chairside, idempotencyKey: string) => ResultAsync<object, Problem>;
  readonly onDone: ((text: string, key: string) => unknown) | undefined;
}

interface SharingAsked {
  readonly contactlessPaymentId: string;
  readonly body: SharePaymentBody;
}

const minuteMs = 60_000;

/** A dead process does nothing more, in none of the things that it did at once. */
const forever = new Promise<never>(() => {});

/** @param acts how many acts the shop does, some of them side by side. */
export async function live(harness: Harness, seed: number, acts = 55): Promise<Lived> {
  const random = createRandom(seed);
  const clock = createManualClock(Date.UTC(2026, 10, 2, 9));
  const world = await harness.open(clock, seed);
  const { processor } = world;
  const faults: string[] = [];
  const events: CloudEvent[] = [];
  const answers = new Map<string, string>();
  const sharings = new Map<string, string>();
  const pending = new Map<string, Request>();
  const payments = new Map<string, Opened>();
  const tenders: (readonly [id: string, barberId: string])[] = [];
  const visits: Visit[] = [];
  const counts = { requests: 0, succeeded: 0, kills: 0 };
  let [keys, ids, isCalm] = [0, 0, false];
  let focus: Visit | undefined;
  /** The commit after which the next process dies. */
  let doomed = 0;
  let turn: Promise<unknown> = Promise.resolve();

  const next = (prefix: string) => {
    ids += 1;
    return `${prefix}_${String(ids).padStart(8, '0')}`;
  };
  const upTo = (most: number) => 1 + random.below(Math.max(1, most));
  const some = <T>(from: Iterable<T>): T | undefined => {
    const all = [...from];
    return all[random.below(all.length)];
  };
  /** Acts at once often meet at one visit. */
  const someVisit = () => (focus !== undefined && random.chance(0.7) ? focus : some(visits));
  const committed = (visit: Visit) => visit.reserved + visit.captured + visit.tendered;

  function watch({ changes }: Commit): void {
    // A sharing moves a tip wherever the shop says.
    const isTipAlone = changes.some(
      (change) =>
        change.kind === 'updatePayment' &&
        change.payment.reserved &&
        change.payment.amountMinor === change.payment.tipMinor,
    );
    for (const change of changes) {
      if (change.kind === 'moveLedger') move(change, isTipAlone);
      // Of two that are put at once, the store keeps the later one.
      if (change.kind === 'putAppointment') noteDue(change.appointment);
    }
  }

  function noteDue({ id, amountDueMinor }: Appointment): void {
    const visit = visits.find((one) => one.id === id);
    if (visit !== undefined) visit.due = Number(amountDueMinor);
  }

  function move(change: Extract<Change, { kind: 'moveLedger' }>, isTipAlone: boolean): void {
    const visit = visits.find(({ id }) => id === change.appointmentId);
    if (visit === undefined) return;
    const before = committed(visit);
    visit.reserved += Number(change.reservedMinor);
    visit.captured += Number(change.capturedMinor);
    visit.tendered += Number(change.tenderedMinor ?? 0n);
    const tips = Number(change.tipsMinor ?? 0n);
    visit.tips += tips;
    const sum = committed(visit);
    if (sum > before && sum > visit.mostDue && !visit.mayExceed) {
      faults.push(`bound: ${visit.id} has ${sum} of ${visit.mostDue} that are due`);
    }
    const mostTips = Math.floor((visit.captured + visit.tendered) * tipShare);
    if (isTipAlone && tips > 0 && visit.tips > mostTips) {
      faults.push(`tips: ${visit.id} has ${visit.tips} of ${mostTips}`);
    }
  }

  /** A capture is sent only if no due was lowered before the acts that run now. */
  function watchSend(paymentId: string): void {
    const { visitIds = [], isTipAlone = true } = payments.get(paymentId) ?? {};
    for (const visit of visits) {
      if (isTipAlone || visit.mayExceed || !visitIds.includes(visit.id)) continue;
      const sum = committed(visit);
      if (sum > visit.mostDue) faults.push(`send: ${visit.id} has ${sum} of ${visit.mostDue}`);
    }
  }

  async function pause({ isDead }: Process): Promise<void> {
    for (let turns = random.below(6); turns > 0; turns -= 1) await undefined;
    if (isDead) await forever;
  }

  /** Its calls take their time, and none is made after the death of its process. */
  function gated<T extends object>(process: Process, real: T): T {
    return new Proxy(real, {
      get(_, name) {
        const found: unknown = Reflect.get(real, name);
        if (typeof found === 'object' && found !== null) return gated(process, found);
        if (typeof found !== 'function') return found;
        return (...given: readonly unknown[]) =>
          new ResultAsync(pause(process).then(() => Reflect.apply(found, real, given)));
      },
    });
  }

  async function committing(process: Process, commit: Commit) {
    await pause(process);
    process.commits += 1;
    const fate = process.commits === process.fatal ? process.fate : 'none';
    const lost = { kind: 'storeUnavailable', outcome: 'unknown' } as const;
    const end = async () => {
      process.die();
      await pause(process);
    };
    if (fate === 'killedBefore') await end();
    if (fate === 'lostBefore') return err(lost);
    const writing = turn.then(() =>
      process.isDead ? err(lost) : world.store.commit(commit).andTee(() => watch(commit)),
    );
    turn = writing;
    const written = await writing;
    if (fate === 'killedAfter') await end();
    if (process.isDead) return forever;
    return fate === 'lostAfter' && written.isOk() ? err(lost) : written;
  }

  /** Starts a process. Its death is the second one. */
  function start(isMortal: boolean): readonly [Chairside, Promise<'died'>] {
    let die = () => {};
    const died = new Promise<'died'>((resolve) => {
      die = () => resolve('died');
    });
    const isFated = isMortal && !isCalm && random.chance(0.3);
    const process: Process = {
      fate: doomed > 0 ? 'killedAfter' : isFated ? random.pick(fates) : 'none',
      fatal: doomed > 0 ? doomed : upTo(3),
      commits: 0,
      isDead: false,
      die() {
        counts.kills += 1;
        process.isDead = true;
        die();
      },
    };
    const store: Store = {
      ...gated(process, { ...world.store }),
      commit: (commit) => new ResultAsync(committing(process, commit)),
    };
    const make = harness.createChairside ?? createChairside;
    const chairside = make({
      store,
      clock,
      ids: { next },
      processor: {
        ...processor,
        capturePayment(request) {
          if (process.isDead) return new ResultAsync(forever);
          watchSend(request.paymentId);
          return processor.capturePayment(request);
        },
      },
      rateLimits: 'off',
      shares: true,
      tips: { maxShare: tipShare },
    });
    return [chairside, died];
  }

  /** Sends a request, or sends it again under the same key. What got no final answer is sent again later. */
  async function send(key: string, { call, onDone }: Request): Promise<void> {
    pending.set(key, { call, onDone });
    counts.requests += 1;
    const [chairside, died] = start(true);
    const answer = await Promise.race([call(chairside, key), died]);
    if (answer === 'died') return;
    if (answer.isErr()) {
      const { status, recovery, detail } = answer.error;
      if (status === 500) faults.push(`answer: ${detail}`);
      if (recovery.retry === 'doNotRetry') pending.delete(key);
      return;
    }
    counts.succeeded += 1;
    pending.delete(key);
    const text = JSON.stringify(answer.value);
    const before = answers.get(key) ?? text;
    if (before !== text) faults.push(`replay: ${key} was ${before} and is ${text}`);
    if (!answers.has(key)) onDone?.(text, key);
    answers.set(key, text);
  }

  const ask = (name: string, call: Request['call'], onDone?: Request['onDone']) => {
    keys += 1;
    return send(`${name}-${keys}`, { call, onDone });
  };

  async function create(visit: Visit): Promise<void> {
    const isTipAlone = random.chance(0.15);
    const others = visits.filter((one) => one !== visit && !isTipAlone && random.chance(0.35));
    const alsoPays = others.map(({ id, due }) => ({ appointmentId: id, amount: money(upTo(due)) }));
    const tip = isTipAlone || random.chance(0.3) ? money(upTo(visit.due * 0.4)) : undefined;
    const sum = alsoPays.reduce((all, { amount }) => all + cents(amount), cents(tip));
    const amount = isTipAlone ? tip : random.chance(0.4) ? money(sum + upTo(visit.due)) : undefined;
    const body = { tip, amount, ...(alsoPays.length > 0 && { alsoPays }) };
    await createAs(visit, others, body, isTipAlone);
  }

  async function createAs(
    visit: Visit,
    others: readonly Visit[],
    body: CreateContactlessPaymentBody,
    isTipAlone = false,
  ): Promise<void> {
    const asked = { appointmentId: visit.id, body };
    await ask(
      'create',
      (chairside, idempotencyKey) =>
        chairside.createContactlessPayment(barberOf(visit.barberId), { ...asked, idempotencyKey }),
      async (text) => {
        const { id, clientSecret } = JSON.parse(text);
        const visitIds = [visit, ...others].map((one) => one.id);
        const { barberId } = visit;
        const opened = { id, barberId, visitIds, isTipAlone, reference: '', isCaptured: false };
        payments.set(id, opened);
        const presented = await processor.presentCard(clientSecret, 'visa_credit');
        opened.reference = presented.isOk() ? presented.value.externalPaymentReference.id : '';
      },
    );
  }

  function capture(payment: Opened): Promise<void> {
    const externalPaymentReference = {
      id: payment.reference,
      paymentProcessor: 'processor_a',
    } as const;
    const asked = { contactlessPaymentId: payment.id, body: { externalPaymentReference } };
    return ask(
      'capture',
      (chairside, idempotencyKey) =>
        chairside.captureContactlessPayment(barberOf(payment.barberId), {
          ...asked,
          idempotencyKey,
        }),
      () => {
        payment.isCaptured = true;
      },
    );
  }

  /** What a clerk reads before: the rest of a payment, and the tip in it. */
  async function restOf({ id }: Opened) {
    const [chairside] = start(false);
    const read = await chairside.listRefunds(owner, { contactlessPaymentId: id });
    if (read.isErr()) return { rest: 0, tip: 0 };
    const { refundable, refundableTip } = read.value;
    return { rest: cents(refundable), tip: cents(refundableTip) };
  }

  async function share(payment: Opened): Promise<void> {
    let { rest, tip } = await restOf(payment);
    if (random.chance(0.1)) rest += random.pick([1, -1]);
    const named = new Map<
      string,
      { visit: Visit; barberId: string; amount: number; tip: number }
    >();
    for (let count = upTo(4); count > 0 && rest > 0; count -= 1) {
      const visit = someVisit();
      if (visit === undefined) continue;
      const barberId = random.chance(0.6) ? visit.barberId : random.pick(barbers);
      const owed = count === 1 ? rest - tip : random.below(rest - tip + 1);
      const own = count === 1 ? tip : random.below(tip + 1);
      const part = named.get(`${visit.id} ${barberId}`) ?? { visit, barberId, amount: 0, tip: 0 };
      if (owed + own === 0) continue;
      [part.amount, part.tip, rest, tip] = [
        part.amount + owed + own,
        part.tip + own,
        rest - owed - own,
        tip - own,
      ];
      named.set(`${visit.id} ${barberId}`, part);
    }
    const leavesExcess = random.chance(0.25);
    const shares = [...named.values()].map((part) => {
      const { visit, barberId, amount } = part;
      return { appointmentId: visit.id, barberId, amount: money(amount), tip: money(part.tip) };
    });
    await shareAs({ contactlessPaymentId: payment.id, body: { shares, leavesExcess } });
  }

  async function shareAs({ contactlessPaymentId, body }: SharingAsked): Promise<void> {
    await ask(
      'share',
      (chairside, idempotencyKey) => {
        for (const visit of visits) {
          const isNamed = body.shares.some(({ appointmentId }) => appointmentId === visit.id);
          visit.mayExceed ||= isNamed && body.leavesExcess === true;
        }
        return chairside.sharePayment(owner, { contactlessPaymentId, body, idempotencyKey });
      },
      (text, key) => sharings.set(key, text),
    );
  }

  async function refund(payment: Opened): Promise<void> {
    const { rest, tip } = await restOf(payment);
    const visit = random.chance(0.5) ? some(visits) : undefined;
    const body = {
      ...(random.chance(0.8) && { amount: money(upTo(rest / random.pick([1, 2, 4]))) }),
      ...(tip > 0 && random.chance(0.3) && { tip: money(random.below(tip + 1)) }),
      ...(visit !== undefined && { appointmentId: visit.id }),
      ...(visit !== undefined && random.chance(0.5) && { barberId: random.pick(barbers) }),
    };
    const asked = { contactlessPaymentId: payment.id, body };
    await ask('refund', (chairside, idempotencyKey) =>
      chairside.refundPayment(owner, { ...asked, idempotencyKey }),
    );
  }

  const excess = ({ id: appointmentId }: Visit) =>
    ask('excess', (chairside, idempotencyKey) =>
      chairside.refundExcess(host, { appointmentId, idempotencyKey }),
    );

  function tender(visit: Visit): Promise<void> {
    const amount = upTo(visit.due / 3);
    const asked = {
      appointmentId: visit.id,
      body: { kind: 'cash', amount: money(amount) },
    } as const;
    return ask(
      'tender',
      (chairside, idempotencyKey) =>
        chairside.recordTender(barberOf(visit.barberId), { ...asked, idempotencyKey }),
      (text) => {
        visit.recorded += amount;
        tenders.push([JSON.parse(text).id, visit.barberId]);
      },
    );
  }

  async function giveBack(): Promise<void> {
    const [tenderId, barberId] = some(tenders) ?? [];
    if (tenderId === undefined || barberId === undefined) return;
    const asked = { tenderId, body: { amount: money(upTo(1000)) } };
    await ask('return', (chairside, idempotencyKey) =>
      chairside.returnTender(barberOf(barberId), { ...asked, idempotencyKey }),
    );
  }

  async function put(visit: Visit, due: number): Promise<void> {
    visit.mostDue = Math.max(visit.mostDue, due);
    const { id, barberId } = visit;
    const [chairside] = start(false);
    const written = await chairside.records.putAppointment({
      id,
      businessId: 'shop',
      amountDueMinor: BigInt(due),
      occursOn: '2026-11-02T10:00:00.000Z',
      timeZone: 'Europe/Berlin',
      barber: { id: barberId, givenName: barberId, surname: 'Marlow', spokenLanguages: ['de'] },
      location: { id: 'old-town', name: 'Old Town', shopName: 'Marlow & Sons' },
    });
    if (written.isErr()) throw new Error(written.error.detail);
  }

  /** Something at the processor that nobody here did. */
  async function elsewhere(): Promise<void> {
    const entries = await processor.entries();
    const entry = some(entries.filter(({ status }) => status === 'captured'));
    if (entry === undefined) return;
    const rest = restAt(entry);
    const part = BigInt(upTo(rest / random.pick([1, 2, 5])));
    const dispute = some(entry.disputes ?? []);
    const refunded = some((entry.refunds ?? []).filter(({ state }) => state === 'pending'));
    const act = async (): Promise<Result<unknown, unknown> | undefined> => {
      switch (random.pick(['dispute', 'close', 'refund', 'slow', 'end'])) {
        case 'dispute':
          return rest > 0 ? processor.dispute(entry.id, part) : undefined;
        case 'close':
          if (dispute === undefined) return undefined;
          return processor.closeDispute?.(
            entry.id,
            dispute.id,
            random.pick(['won', 'won', 'lost']),
          );
        case 'refund':
          return rest > 0 ? processor.refund(entry.id, part) : undefined;
        case 'end':
          if (refunded === undefined) return undefined;
          return processor.endRefund?.(entry.id, refunded.id, random.pick(['succeeded', 'failed']));
        default:
          await processor.slowRefunds?.(random.chance(0.5));
          return undefined;
      }
    };
    // It may be impossible by then.
    (await act())?.isOk();
  }

  async function repeat(): Promise<void> {
    const found = some(pending);
    if (found !== undefined) await send(...found);
  }

  async function upkeep(chairside: Chairside): Promise<void> {
    const taken = await processor.takeEvents();
    for (const event of taken.isOk() ? taken.value : [])
      (await chairside.receiveProcessorEvent(event)).isOk();
    for (let calls = 0; calls < 20; calls += 1) {
      if (!(await chairside.reconcile()).unwrapOr({ more: false }).more) break;
    }
  }

  async function act(): Promise<void> {
    const visit = someVisit();
    const captured = some([...payments.values()].filter(({ isCaptured }) => isCaptured));
    const waiting = [...payments.values()].filter((one) => !one.isCaptured && one.reference !== '');
    const atFocus = waiting.filter(({ visitIds }) => visitIds.includes(focus?.id ?? ''));
    const presented = some(atFocus.length > 0 ? atFocus : waiting);
    const drawn = random.below(100);
    if (visit === undefined) return;
    if (drawn < 18) return create(visit);
    if (drawn < 36) return presented && capture(presented);
    if (drawn < 54) return captured && share(captured);
    if (drawn < 64) return captured && refund(captured);
    if (drawn < 68) return excess(visit);
    if (drawn < 74) return tender(visit);
    if (drawn < 76) return giveBack();
    if (drawn < 83) {
      // A capture that died may be sent again when less is due.
      const held = random.chance(0.7)
        ? some(visits.filter(({ reserved }) => reserved > 0))
        : undefined;
      return held ? put(held, random.below(committed(held))) : put(visit, random.below(8000));
    }
    if (drawn < 89) return elsewhere();
    if (drawn < 95) return repeat();
    const [chairside, died] = start(true);
    await Promise.race([upkeep(chairside), died]);
  }

  async function pass(ms: number): Promise<void> {
    clock.advance(ms);
    const [chairside] = start(false);
    await upkeep(chairside);
    await hear(chairside);
  }

  async function hear(chairside: Chairside): Promise<void> {
    for (let calls = 0; calls < 50; calls += 1) {
      const told = await chairside.events.deliver(async (event) => {
        events.push(event);
      });
      if (!told.unwrapOr({ more: false }).more) break;
    }
  }

  /** Two desks move two payments to one visit, which has room for either. */
  async function meet(): Promise<void> {
    const captured = [...payments.values()].filter(({ isCaptured }) => isCaptured).slice(-2);
    const rests = await Promise.all(captured.map(restOf));
    const visit = await open('meeting', Math.max(...rests.map(({ rest, tip }) => rest - tip), 1));
    const moves = captured.map(({ id: contactlessPaymentId }, nth) => {
      const { rest = 0, tip = 0 } = rests[nth] ?? {};
      const shares = [{ appointmentId: visit.id, amount: money(rest), tip: money(tip) }];
      return shareAs({ contactlessPaymentId, body: { shares } });
    });
    await Promise.all(moves);
  }

  /** A capture for two visits dies once it is reserved, and the other one is called off before it is sent again. */
  async function lower(): Promise<void> {
    const mother = await open('mother', 3000);
    const child = await open('child', 2000);
    await createAs(mother, [child], { alsoPays: [{ appointmentId: child.id, amount: '20.00' }] });
    const payment = [...payments.values()].at(-1);
    if (payment?.visitIds[0] !== mother.id) return;
    doomed = random.pick([1, 2, 3]);
    await capture(payment);
    doomed = 0;
    await put(child, 0);
  }

  const [chairside] = start(false);
  const account = { id: 'acct_shop', currency: 'eur', terminalLocation: 'tml_shop' };
  const shop = await chairside.records.putBusiness({
    id: 'shop',
    name: 'Marlow & Sons',
    processorAccount: account,
  });
  if (shop.isErr()) throw new Error(shop.error.detail);
  for (const id of barbers) (await chairside.records.putBarber({ id, businessId: 'shop' })).isOk();
  const open = async (id: string, due: number) => {
    const sums = { reserved: 0, captured: 0, tendered: 0, tips: 0, recorded: 0 };
    const barberId = random.pick(barbers);
    const visit = { id, barberId, due, mostDue: due, mayExceed: false, ...sums };
    visits.push(visit);
    await put(visit, due);
    return visit;
  };
  for (let nth = 3 + random.below(4); nth > 0; nth -= 1) {
    await open(`visit-${nth}`, 1000 + random.below(6000));
  }
  for (let left = acts; left > 0; ) {
    for (const visit of visits) [visit.mostDue, visit.mayExceed] = [visit.due, false];
    const together = upTo(Math.min(left, 4));
    focus = random.chance(0.5) ? some(visits) : undefined;
    left -= together;
    await Promise.all(Array.from({ length: together }, act));
    // What a dead process had sent to the store comes before the next acts.
    await turn;
    clock.advance(random.pick([0, 0, 1000, 60_000]));
  }
  await meet();
  await lower();
  isCalm = true;
  for (const visit of visits) [visit.mostDue, visit.mayExceed] = [visit.due, false];
  for (let round = 0; round < 6; round += 1) {
    for (const { id, refunds = [] } of await processor.entries()) {
      for (const one of refunds.filter(({ state }) => state === 'pending'))
        (await processor.endRefund?.(id, one.id, random.pick(['succeeded', 'failed'])))?.isOk();
    }
    await pass(3 * minuteMs);
    for (const [key, request] of [...pending]) await send(key, request);
  }
  // The sessions of payments that nobody captured end, and the processor's entries are listed.
  for (let hours = 0; hours < 54; hours += 6) await pass(6 * 60 * minuteMs);
  return { world, chairside, visits, events, sharings, faults, counts, pass };
}
