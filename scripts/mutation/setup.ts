import fc from 'fast-check';
import { beforeEach, type RunnerTestCase, type RunnerTestSuite } from 'vitest';

// To shrink a failure takes longer than to find it, and nobody reads it here.
fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true });

const { MUTATION_SHARD: shard = '' } = process.env;

// The core's rules are the same over every store and transport, so one of each is enough for them.
if (shard.startsWith('core/')) {
  beforeEach(({ task, skip }) => {
    let at: RunnerTestCase | RunnerTestSuite | undefined = task;
    for (; at !== undefined; at = at.suite) {
      if (/\((?:sqlite|postgres), |over HTTP/.test(at.name)) skip();
    }
  });
}
