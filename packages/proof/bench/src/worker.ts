import { answerParent } from './child.ts';
import { runJob } from './run-job.ts';

await answerParent(runJob);
