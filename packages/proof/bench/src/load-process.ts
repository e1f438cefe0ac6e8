import { answerParent } from './child.ts';
import { generate } from './load.ts';

answerParent(generate);
