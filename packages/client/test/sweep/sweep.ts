import { cardNames, type SweptCard } from './cards.ts';
import { type Plan, type Report, run } from './run.ts';
import type { ProcessorName } from './shop.ts';
import { openKeptJournal } from './sqlite.ts';

export interface Row {
  readonly what: string;
  readonly runs: number;
  readonly kills: number;
  readonly lost: number;
  readonly faults: readonly string[];
}

/** Sweeps the whole flow, or every `step`th pair of it. */
export interface Extent {
  readonly pairStep: number;
  /** The caller's offset, so that several processes take different pairs. */
  readonly offset?: number;
  readonly cards?: readonly SweptCard[];
  /** Plays every `worldStep`th run of the rows on storage, clocks, timers and people. Default: all. */
  readonly worldStep?: number;
  /** Plays this group alone. */
  readonly kind?: string;
  /** Ends a group at its first fault. */
  readonly isShort?: boolean;
}

/** Plays one plan with a new storage. */
async function play(plan: Plan): Promise<Report> {
  const journal = openKeptJournal();
  try {
    return await run(plan, journal);
  } finally {
    journal.close();
  }
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const twoDaysMs = 172_800_000;

const worldRows: readonly string[] = [
  'timers once a minute',
  'a write acknowledged and dropped',
  'a stale read',
  'a clock two days ahead',
  'another person on the phone',
];

/** The plans of one card, in the groups of the table. */
function plansOf(base: Plan, undisturbed: Report): Readonly<Record<string, Plan[]>> {
  const points = upTo(undisturbed.points);
  const requests = upTo(undisturbed.requests);
  const kills = points.map((at) => ({ ...base, kills: [at] }));
  const withRestart = { ...base, restarts: 1 };
  const answers = requests.map((lostAnswer) => ({ ...base, lostAnswer }));
  const outages = requests.map((outageFrom) => ({ ...withRestart, outageFrom }));
  /** Every third kill, so that the faults of the storage meet all of them between themselves. */
  const storage = (fault: Partial<Plan>, number: number) =>
    [{}, ...kills.filter((_, index) => index % 3 === number % 3)].map((killed) => ({
      ...withRestart,
      ...fault,
      ...killed,
      restarts: 1,
    }));
  return {
    undisturbed: [base],
    'killed at every await': kills,
    'every answer lost': answers,
    'every answer lost from one on': outages,
    'in pairs': points.flatMap((first) => [
      ...points.map((second) => ({ ...base, kills: [first, second] })),
      ...requests.map((lostAnswer) => ({ ...base, kills: [first], lostAnswer })),
    ]),
    'access lost': points.flatMap((at) =>
      (['revoked', 'noBarber'] as const).map((how) => ({ ...base, losesAccess: { at, how } })),
    ),
    'the reader denies the card': (['declined', 'canceled', 'unknown'] as const).flatMap(
      (readerSays) => [base, ...kills].map((plan) => ({ ...plan, readerSays })),
    ),
    'timers once a minute': [base, ...kills, ...answers, ...outages].map((plan) => ({
      ...plan,
      isThrottled: true,
    })),
    'a write acknowledged and dropped': upTo(undisturbed.writes).flatMap((lostWrite) =>
      storage({ lostWrite }, lostWrite),
    ),
    'a stale read': upTo(undisturbed.reads).flatMap((staleRead) =>
      storage({ staleRead }, staleRead),
    ),
    'a clock two days ahead': [[twoDaysMs], [twoDaysMs, 0], [0, twoDaysMs]].flatMap((aheadMs) =>
      [base, ...kills].map((plan) => ({ ...plan, aheadMs })),
    ),
    'with a tip': [base, ...kills, ...answers, ...outages].map((plan) => ({
      ...plan,
      tip: '5.00',
    })),
    'for two visits': [base, ...kills, ...answers, ...outages].map((plan) => ({
      ...plan,
      alsoPays: [{ appointmentId: 'a-2', amount: '20.00' }],
    })),
    'another person on the phone': kills.map((plan) => ({
      ...plan,
      restarts: 1,
      people: ['ada', 'eve', 'ada'],
    })),
  };
}

/** The plans of one processor, in the groups of the table. */
export async function* sweep(
  processor: ProcessorName,
  { pairStep, offset = 0, cards = cardNames, kind, worldStep = 1, isShort = false }: Extent,
) {
  for (const card of cards) {
    // The authorization of `expires_soon` has ended when the app returns.
    const base: Plan = { processor, card, goneMs: card === 'expires_soon' ? 120_000 : 2000 };
    const groups = plansOf(base, await play(base));
    for (const [what, plans] of Object.entries(groups)) {
      if (kind !== undefined && what !== kind) continue;
      if (what === 'the reader denies the card' && card !== 'visa_credit') continue;
      const step = what === 'in pairs' ? pairStep : worldRows.includes(what) ? worldStep : 1;
      const isDue = (_: Plan, index: number) => (index + offset) % step === 0;
      yield await table(`${card}: ${what}`, plans.filter(isDue), isShort);
    }
  }
}

async function table(what: string, plans: readonly Plan[], isShort: boolean): Promise<Row> {
  let kills = 0;
  let lost = 0;
  const faults: string[] = [];
  for (const plan of plans) {
    const report = await play(plan);
    kills += report.kills;
    lost += report.lost;
    faults.push(...report.faults.map((fault) => `${JSON.stringify(plan)}: ${fault}`));
    if (isShort && faults.length > 0) break;
  }
  return { what, runs: plans.length, kills, lost, faults };
}
