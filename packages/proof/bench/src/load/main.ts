import { answerParent } from '../child.ts';
import { generate } from './generate.ts';

await answerParent(generate);
