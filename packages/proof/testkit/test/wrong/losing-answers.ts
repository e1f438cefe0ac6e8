import { type Commit, ResultAsync } from '@chairside/core';
import type { MapDatabase } from '../../src/store/map/database.ts';
import { answerTo, attempt, overALine, refusal, written } from './over-a-line.ts';
import type { WrongStore } from './wrong-store.ts';

const whicheverReply = 'says what is true of a commit, for each reply that is lost';
/** The result of a read of a missing record. */
function emptyOf(name: string): unknown {
  if (name.startsWith('list')) return [];
  return name === 'has' ? false : undefined;
}
let serial = 0;
const remember = ({ tables }: MapDatabase, { id, at }: Commit) =>
  tables.commits.insert(id, { id, at });
const anotherId = () => {
  serial += 1;
  return `sent ${serial}`;
};

export const storesThatLoseAnswers: readonly WrongStore[] = [
  {
    fault: 'sends a commit once again, and then calls it not applied',
    caughtBy: 'says what is true of a commit whose reply is lost, if the server stays out of reach',
    open: overALine({
      commit: (parts, commit) =>
        new ResultAsync(
          (async () => {
            const first = await attempt(parts, commit);
            const outcome = first.kind === 'unknown' ? await attempt(parts, commit) : first;
            return answerTo(outcome, () => refusal('notApplied'));
          })(),
        ),
    }),
  },
  {
    fault: 'sends a commit without an answer again, under another id if its own is not found',
    caughtBy: 'says what is true of a commit whose message arrives late, before the store is asked',
    open: overALine({
      commit: (parts, commit) =>
        new ResultAsync(
          (async () => {
            const first = await attempt(parts, commit);
            if (first.kind !== 'unknown') return answerTo(first, written);
            if (parts.database.tables.commits.has(commit.id)) return written();
            const second = await attempt(parts, { ...commit, id: anotherId() });
            return answerTo(second, () => refusal('unknown'));
          })(),
        ),
    }),
  },
  {
    fault: 'answers a failed read as if the record were missing',
    caughtBy: 'does not say that records are missing, if replies are lost',
    open: overALine({ readOf: emptyOf }),
  },
  {
    fault: 'answers a question without a reply as not written',
    caughtBy: 'says what is true of a commit whose reply is lost, if the server stays out of reach',
    open: overALine({ isWrittenIfUnanswered: false }),
  },
  {
    fault: 'calls a commit without an answer not applied',
    caughtBy: whicheverReply,
    open: overALine({
      commit: (parts, commit) =>
        new ResultAsync(
          attempt(parts, commit).then((outcome) => answerTo(outcome, () => refusal('notApplied'))),
        ),
    }),
  },
  {
    fault: 'calls a commit without an answer written',
    caughtBy: 'ends every call where the server falls silent, and says what is true',
    open: overALine({
      commit: (parts, commit) =>
        new ResultAsync(attempt(parts, commit).then((outcome) => answerTo(outcome, written))),
    }),
  },
  {
    fault: 'sends a commit without an answer again, without looking for its id',
    caughtBy: whicheverReply,
    open: overALine({
      commit: (parts, commit) =>
        new ResultAsync(
          parts.certainty.commit(commit.id, async () => {
            if (parts.database.tables.commits.has(commit.id)) return { kind: 'written' };
            const outcome = await attempt(parts, { ...commit, id: anotherId() });
            if (outcome.kind === 'written') remember(parts.database, commit);
            return outcome;
          }),
        ),
    }),
  },
  {
    fault: 'writes the id after the changes, in a message of its own',
    caughtBy: whicheverReply,
    open: overALine({
      commit: (parts, commit) =>
        new ResultAsync(
          (async () => {
            const { database, line } = parts;
            if (database.tables.commits.has(commit.id)) return written();
            const first = await attempt(parts, { ...commit, id: anotherId() });
            if (first.kind !== 'written') return answerTo(first, () => refusal('unknown'));
            try {
              await line.send(() => remember(database, commit));
              return written();
            } catch {
              return refusal('unknown');
            }
          })(),
        ),
    }),
  },
  {
    fault: 'writes the id before the changes, in a message of its own',
    caughtBy: whicheverReply,
    open: overALine({
      commit: (parts, commit) =>
        new ResultAsync(
          (async () => {
            const { database, line } = parts;
            if (database.tables.commits.has(commit.id)) return written();
            try {
              await line.send(() => remember(database, commit));
            } catch {
              return refusal('unknown');
            }
            const second = await attempt(parts, { ...commit, id: anotherId() });
            return answerTo(second, () => refusal('unknown'));
          })(),
        ),
    }),
  },
  {
    fault: 'goes on with a connection that has ended',
    caughtBy: 'says what is true of many commits whose connections end, and goes on',
    open: () => {
      let isBroken = false;
      const subject = overALine({
        commit: (parts, commit) =>
          new ResultAsync(
            isBroken
              ? Promise.resolve(refusal('notApplied'))
              : attempt(parts, commit).then((outcome) => {
                  isBroken ||= outcome.kind === 'unknown';
                  return answerTo(outcome, () => refusal('unknown'));
                }),
          ),
      })();
      return subject;
    },
  },
  {
    fault: 'answers before the server has flushed',
    caughtBy: 'keeps what it acknowledged when the server crashes, and goes on',
    open: overALine({ isDurable: false }),
  },
  {
    fault: 'waits for a silent server for ever',
    caughtBy: 'ends every call where the server falls silent, and says what is true',
    open: () => ({
      ...overALine({
        commit: (parts, commit) =>
          new ResultAsync(
            attempt(parts, commit).then((outcome) =>
              answerTo(outcome, () => new Promise<never>(() => {})),
            ),
          ),
      })(),
      longestCallMs: 500,
    }),
  },
];
