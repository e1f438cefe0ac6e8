import type { AlsoPays, Collected, Journal, Taking } from '../../src/index.ts';
import { createVirtualTime } from '../virtual-time.ts';
import { cardOf, type SweptCard } from './cards.ts';
import { type Fate, type Happening, live } from './life.ts';
import { openSweptShop, type Person, type ProcessorName, type SweptShop } from './shop.ts';

export interface Plan {
  readonly processor: ProcessorName;
  readonly card: SweptCard;
  /** The point at which each life of the app ends; the last life always finishes. */
  readonly kills?: readonly number[] | undefined;
  /** The request of the first life whose response is lost. */
  readonly lostAnswer?: number | undefined;
  /** From this request of the first life on, every response is lost until the app restarts. */
  readonly outageFrom?: number | undefined;
  readonly losesAccess?: { readonly at: number; readonly how: 'revoked' | 'noBarber' } | undefined;
  /** The reader's report on every card, true or not. */
  readonly readerSays?: Collected | undefined;
  /** The time between a kill and the next start. */
  readonly goneMs?: number | undefined;
  /** The starts after the last kill: the app is opened once more, or another person uses the phone. */
  readonly restarts?: number | undefined;
  /** The person of each life; the last one stays. Default: Ada. */
  readonly people?: readonly Person[] | undefined;
  /** How far the phone's clock is ahead in each life; the last one stays. */
  readonly aheadMs?: readonly number[] | undefined;
  /** Timers fire once a minute, as in a page in the background. */
  readonly isThrottled?: boolean | undefined;
  /** The storage acknowledges this write, and does not carry it out. Removals count as writes. */
  readonly lostWrite?: number | undefined;
  /** This read returns the value before the last write. */
  readonly staleRead?: number | undefined;
  /** The tip that the customer adds, in a shop that takes tips. */
  readonly tip?: string | undefined;
  /** Other visits that the same card pays. */
  readonly alsoPays?: AlsoPays | undefined;
}

export interface Report {
  readonly points: number;
  readonly requests: number;
  readonly reads: number;
  readonly writes: number;
  readonly kills: number;
  readonly lost: number;
  /** The broken promises; empty if all were kept. */
  readonly faults: readonly string[];
}

/** A journal that outlives the app. */
export interface KeptJournal extends Journal {
  entries(): Promise<readonly string[]>;
}

/** The journal of a phone whose storage breaks its promise once. */
function faulty(journal: KeptJournal, { lostWrite, staleRead }: Plan) {
  const before = new Map<string, string | null | undefined>();
  let writes = 0;
  let reads = 0;

  async function write(key: string, carryOut: () => Promise<void>): Promise<void> {
    writes += 1;
    if (writes === lostWrite) return;
    before.set(key, await journal.get(key));
    await carryOut();
  }

  const faulty: Journal = {
    keys: journal.keys,
    async get(key) {
      reads += 1;
      return reads === staleRead ? before.get(key) : journal.get(key);
    },
    set: (key, value) => write(key, () => journal.set(key, value)),
    remove: (key) => write(key, () => journal.remove(key)),
  };
  return { journal: faulty, writes: () => writes, reads: () => reads };
}

const minuteMs = 60_000;

/** Plays one plan against a new service, in virtual time. */
export async function run(plan: Plan, kept: KeptJournal): Promise<Report> {
  const shop = await openSweptShop(plan.processor, plan.tip, plan.alsoPays);
  const { kills = [], goneMs = 2000, restarts = 0, people = ['ada'], aheadMs = [0] } = plan;
  const storage = faulty(kept, plan);
  const happenings: Happening[] = [];
  const faults: string[] = [];
  let keys = 0;
  let taps = 0;
  let read = 0;
  let points = 0;
  let requests = 0;
  let lost = 0;
  let died = 0;
  let returns = 0;
  let last: Taking | undefined;

  const lives = kills.length + restarts + 1;
  for (let number = 0; number < lives; number += 1) {
    const time = clockOf(shop, aheadMs[number] ?? aheadMs.at(-1) ?? 0, plan.isThrottled === true);
    const token = people[number] ?? people.at(-1) ?? 'ada';
    const fate: Fate = {
      killAt: kills[number],
      lostAnswer: number === 0 ? plan.lostAnswer : undefined,
      outageFrom: number === 0 ? plan.outageFrom : undefined,
      atPoint: (point) => {
        const { losesAccess } = plan;
        if (number === 0 && point === losesAccess?.at) shop.loseAccess(losesAccess.how);
      },
    };
    const life = live(
      {
        baseUrl: 'http://shop.test',
        subject: `user-${token}`,
        token,
        tip: plan.tip,
        alsoPays: plan.alsoPays,
        fetch: shop.fetch,
        journal: storage.journal,
        time,
        newKey: () => {
          keys += 1;
          return `key-${keys}`;
        },
        async present(clientSecret) {
          taps += 1;
          happenings.push({ tap: clientSecret });
          const said = shop.present(clientSecret, cardOf(plan.card, taps));
          if (said !== 'declined' && said !== 'canceled') read += 1;
          return plan.readerSays ?? said;
        },
        happened(what) {
          happenings.push(what);
          const untrue = untrueNow(what, shop);
          if (untrue !== undefined) faults.push(untrue);
        },
      },
      shop.appointmentId,
      fate,
    );
    const ended = await Promise.race([life.done.then((taking) => ({ taking })), life.died]);
    time.end();
    if (number === 0) {
      points = life.points();
      requests = life.requests();
    }
    lost += life.lost();
    if (ended !== undefined) {
      last = ended.taking;
      if (restarts === 0) break;
    }
    if (ended === undefined) died += 1;
    returns += 1;
    shop.clock.advance(goneMs);
    await shop.reconcile();
  }

  // Each return finds the authorization of `expires_soon` ended, and half of the amount is too little.
  const needed =
    plan.card === 'expires_soon' ? 1 + returns : plan.card === 'partially_authorized' ? 2 : 1;
  // A note that was never written, or that another person wrote, cannot save a card.
  const unseen = plan.lostWrite === undefined && plan.people === undefined ? 0 : 1;
  if (read > needed + unseen) faults.push(`needless card: ${read} cards were read`);
  faults.push(...(await verdict(plan, shop, happenings, last, await kept.entries())));
  const [reads, writes] = [storage.reads(), storage.writes()];
  return { points, requests, reads, writes, kills: died, lost, faults };
}

/** The shop's clock follows the app's. */
function clockOf({ clock }: SweptShop, aheadMs: number, isThrottled: boolean) {
  const virtual = createVirtualTime(clock.now());
  let isOver = false;
  return {
    now: () => virtual.now() + aheadMs,
    after(ms: number, run: () => void) {
      const due = virtual.now() + ms;
      const at = isThrottled ? Math.ceil(due / minuteMs) * minuteMs : due;
      return virtual.after(at - virtual.now(), () => {
        if (isOver) return;
        clock.advance(Math.max(0, virtual.now() - clock.now()));
        run();
      });
    },
    end() {
      isOver = true;
    },
  };
}

/**
 * The screen must agree with the processor at that moment. "No" is a statement about
 * the appointment, so that it is untrue if any of its payments is captured.
 */
function untrueNow(what: Happening, { captured }: SweptShop): string | undefined {
  if (!('claim' in what)) return undefined;
  const charges = captured();
  const isTrue =
    what.claim === 'no'
      ? charges.length === 0
      : charges.some(({ paymentId }) => paymentId === what.paymentId);
  return isTrue ? undefined : `untrue: the screen said ${what.step}, charged ${what.claim}`;
}

async function verdict(
  plan: Plan,
  { captured, due }: SweptShop,
  happenings: readonly Happening[],
  last: Taking | undefined,
  entries: readonly string[],
): Promise<string[]> {
  const faults: string[] = [];
  const charges = captured();
  const charged = charges.reduce((sum, { amount }) => sum + amount, 0);
  if (charged > due) faults.push(`double charge: ${charged} of ${due}`);
  if (plan.tip !== undefined && charged !== 0 && charged !== due) {
    faults.push(`tip: ${charged} of ${due} was charged`);
  }
  if (plan.alsoPays !== undefined && charged !== 0 && charged !== due) {
    faults.push(`other visits: ${charged} of ${due} was charged`);
  }
  const [charge] = charges;
  if (plan.losesAccess === undefined) {
    if (charge === undefined) faults.push(`lost: ended as ${last?.step} ${last?.reason}`);
    if (entries.length > 0) faults.push(`a note is left: ${entries.join()}`);
  } else if (entries.some((entry) => !/"stuck":"(askShop|signIn)"/.test(entry))) {
    faults.push(`a note is left that asks nobody: ${entries.join()}`);
  }
  // A "no" must hold until the next card is read.
  const lastTap = happenings.findLastIndex((what) => 'tap' in what);
  const saidNo = happenings.some(
    (what, at) => at > lastTap && 'claim' in what && what.claim === 'no',
  );
  if (charge !== undefined && saidNo) faults.push('untrue: "not charged" after the last card');
  return faults;
}
