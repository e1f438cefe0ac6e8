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
}

async function play(plan: Plan): Promise<Report> {
  const journal = openKeptJournal();
  try {
    return await run(plan, journal);
  } finally {
    journal.close();
  }
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

/** The plans of one processor, in the groups of the table. */
export async function* sweep(
  processor: ProcessorName,
  { pairStep, offset = 0, cards = cardNames }: Extent,
) {
  for (const card of cards) {
    const undisturbed = await play({ processor, card });
    const points = upTo(undisturbed.points);
    const requests = upTo(undisturbed.requests);
    // The authorization of `expires_soon` has ended when the app returns.
    const goneMs = card === 'expires_soon' ? 120_000 : 2000;
    const base = { processor, card, goneMs };
    const kills: Plan[] = points.map((at) => ({ ...base, kills: [at] }));
    const answers: Plan[] = requests.map((lostAnswer) => ({ ...base, lostAnswer }));
    const outages: Plan[] = requests.map((outageFrom) => ({ ...base, outageFrom }));
    const pairs: Plan[] = points.flatMap((first) => [
      ...points.map((second) => ({ ...base, kills: [first, second] })),
      ...requests.map((lostAnswer) => ({ ...base, kills: [first], lostAnswer })),
    ]);
    const access: Plan[] = points.flatMap((at) =>
      (['revoked', 'noBarber'] as const).map((how) => ({ ...base, losesAccess: { at, how } })),
    );
    yield await table(`${card}: undisturbed`, [base]);
    yield await table(`${card}: killed at every await`, kills);
    yield await table(`${card}: every answer lost`, answers);
    yield await table(`${card}: every answer lost from one on`, outages);
    yield await table(
      `${card}: in pairs`,
      pairs.filter((_, index) => (index + offset) % pairStep === 0),
    );
    yield await table(`${card}: access lost`, access);
    const lies = (['declined', 'canceled', 'unknown'] as const).flatMap((readerSays) => [
      { ...base, readerSays },
      ...points.map((at) => ({ ...base, readerSays, kills: [at] })),
    ]);
    if (card === 'visa_credit') yield await table('the reader denies an approved card', lies);
  }
}

async function table(what: string, plans: readonly Plan[]): Promise<Row> {
  let kills = 0;
  let lost = 0;
  const faults: string[] = [];
  for (const plan of plans) {
    const report = await play(plan);
    kills += report.kills;
    lost += report.lost;
    faults.push(...report.faults.map((fault) => `${JSON.stringify(plan)}: ${fault}`));
  }
  return { what, runs: plans.length, kills, lost, faults };
}
