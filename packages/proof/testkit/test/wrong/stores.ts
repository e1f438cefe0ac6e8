import { storesThatCommitWrongly } from './committing.ts';
import { storesThatCut } from './cutting.ts';
import { storesThatWaitWrongly } from './holding.ts';
import { storesThatLoseAnswers } from './losing-answers.ts';
import { storesThatFlushWrongly } from './over-a-disk.ts';
import { storesThatReadWrongly } from './reading.ts';
import { storesThatWriteWrongly } from './writing.ts';
import type { WrongStore } from './wrong-store.ts';

/** One fault each; the contract catches every one, by the cases named. */
export const wrongStores: readonly WrongStore[] = [
  ...storesThatCommitWrongly,
  ...storesThatCut,
  ...storesThatFlushWrongly,
  ...storesThatLoseAnswers,
  ...storesThatReadWrongly,
  ...storesThatWaitWrongly,
  ...storesThatWriteWrongly,
];
