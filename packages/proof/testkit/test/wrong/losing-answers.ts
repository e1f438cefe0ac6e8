import { ResultAsync } from '@chairside/core';
import type { Commit } from '@chairside/core/ports';
import type { MapDatabase } from '../../src/store/map/database.ts';
import { answerTo, attempt, overALine, refusal, written } from './over-a-line.ts';
import type { WrongStore } from './wrong-store.ts';

const whicheverReply = 'says what is true of a commit, for each reply that is lost';
let serial = 0;
const remember = ({ tables }: MapDatabase, { id, at }: Commit) =>
  tables.commits.insert(id, { id, at });
const anotherId = () => {
  serial += 1;
  return `sent ${serial}`;
};

export const storesThatLoseAnswers: readonly WrongStore[] = [
  {
    fault: 'answers a question without a reply as not written',
    caughtBy: [
      'says what is true of a commit whose reply is lost, if the server stays out of reach',
      'does not say that records are missing, if replies are lost',
    ],
    open: overALine({ isWrittenIfUnanswered: false }),
  },
  {
    fault: 'writes the id before the changes, in a message of its own',
    caughtBy: [
      whicheverReply,
      'a commit that was refused may succeed later under its id',
      'is answered ok to no sender if it is refused',
      'says what is true of a commit whose message arrives late, before the store is asked',
      'ends every call where the server falls silent, and says what is true',
      'says what is true of many commits whose connections end, and goes on',
    ],
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
    fault: 'answers before the server has flushed',
    caughtBy: ['keeps what it acknowledged when the server crashes, and goes on'],
    open: overALine({ isDurable: false }),
  },
];
