import { processorContract } from '@chairside/testkit/contracts';
import { harness } from './harness.ts';
import { without } from './without.ts';

processorContract('The processor over Tally', () => harness(), without);
