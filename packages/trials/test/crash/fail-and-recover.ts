import type { Answer } from './log.ts';
import { openSite, type StartOptions } from './site.ts';

export interface Recovered {
  /** What clients were told while nothing could be written. */
  readonly told: readonly Answer[];
  /** How many creates were acknowledged before. */
  readonly writtenBefore: number;
  /** How many payments were captured when everyone had finished. */
  readonly captured: number;
  readonly violations: readonly string[];
}

/** So many answers after the first failure: the server has had its time to show what it does. */
const failures = 60;
/** Without a failure by then, there will be none. */
const maxAnswers = 20_000;

/**
 * Takes payments until the database can be written no more, starts the server again where it can,
 * and lets everyone finish.
 */
export async function failAndRecover(options: StartOptions): Promise<Recovered> {
  const site = await openSite(4);
  const { client, violations } = site;
  await site.start(options);
  await new Promise<void>((resolve) => {
    let failed = 0;
    client.onMove = (move) => {
      if (move === 'sent') return;
      if (client.log.at(-1)?.answer?.status === 503) failed += 1;
      if (failed < failures && client.log.length < maxAnswers) return;
      client.onMove = () => undefined;
      resolve();
    };
  });
  const told = client.log.flatMap(({ answer }) => (answer?.status === 503 ? [answer] : []));
  const writtenBefore = client.log.filter(({ answer }) => answer?.status === 201).length;
  await site.killAll();
  await site.start();
  if (violations.length === 0) await site.finish();
  const captured = site.captured();
  await site.close();
  return { told, writtenBefore, captured, violations };
}
