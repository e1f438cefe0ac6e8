import { describeOperations } from '@chairside/spec';
import { driveTally } from './drive.ts';

await describeOperations({
  name: 'Tally',
  makeProcessor: (clock, account) => driveTally(clock, [account]),
  hasLateReferences: true,
});
