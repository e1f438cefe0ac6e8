import type { Answer } from './log.ts';
import type { LossWay } from './server-process.ts';
import { openSite, type StartOptions } from './site.ts';

export interface Recovered {
  /** The responses to clients while the database could not be written. */
  readonly told: readonly Answer[];
  /** The number of creates that were acknowledged before. */
  readonly writtenBefore: number;
  /** The number of captured payments at the end. */
  readonly captured: number;
  readonly violations: readonly string[];
}

/** The number of responses after the first failure, enough to show the server's behaviour. */
const failures = 60;
/** Enough for payments in every state. */
const answersBeforeLoss = 200;
/** If no failure has occurred by then, none will. */
const maxAnswers = 20_000;

/**
 * Takes payments until the database can no longer be written. Then it restarts the server if
 * possible, and lets all clients finish.
 */
export async function failAndRecover({
  loses,
  ...options
}: StartOptions & {
  /** A file of the database is lost once payments are under way. */
  readonly loses?: LossWay;
}): Promise<Recovered> {
  const site = await openSite(4);
  const { client, violations } = site;
  await site.start(options);
  await new Promise<void>((resolve) => {
    let failed = 0;
    let answered = 0;
    client.onMove = (move) => {
      if (move === 'sent') return;
      answered += 1;
      if (answered === answersBeforeLoss && loses !== undefined) {
        void site.servers()[0]?.ask('loseFile', loses);
      }
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
