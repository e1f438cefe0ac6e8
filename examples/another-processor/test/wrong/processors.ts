import { processorsThatMixUpAmounts } from './amounts.ts';
import { processorsThatBelieve } from './answers.ts';
import { processorsThatMishear } from './events.ts';
import { processorsThatMistake } from './handles.ts';
import { processorsThatMixUpKeys } from './keys.ts';
import { processorsThatForget } from './lists.ts';
import { processorsThatJudgeSilence } from './silence.ts';
import type { WrongProcessor } from './wrong-processor.ts';

/** One fault each; the contract catches every one, by the cases named. */
export const wrongProcessors: readonly WrongProcessor[] = [
  ...processorsThatBelieve,
  ...processorsThatMixUpKeys,
  ...processorsThatMixUpAmounts,
  ...processorsThatMishear,
  ...processorsThatForget,
  ...processorsThatMistake,
  ...processorsThatJudgeSilence,
];
