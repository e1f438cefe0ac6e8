import { beforeEach, type RunnerTestCase, type RunnerTestSuite } from 'vitest';

// The core's rules are the same over every store, so one store is enough here; the others are slow.
beforeEach(({ task, skip }) => {
  let at: RunnerTestCase | RunnerTestSuite | undefined = task;
  for (; at !== undefined; at = at.suite) if (/\((?:sqlite|postgres), /.test(at.name)) skip();
});
