import { answerParent } from './child.ts';
import { runJob } from './run-job.ts';

answerParent(runJob);
