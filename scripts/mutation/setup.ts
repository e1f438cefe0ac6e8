import fc from 'fast-check';
import { beforeEach, type RunnerTestCase, type RunnerTestSuite } from 'vitest';

// To shrink a failure takes longer than to find it. A run only asks whether a test fails.
fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true });

const { MUTATION_SHARD: shard = '' } = process.env;

// Few parts need the PostgreSQL server of the tests.
if (!/postgres/.test(shard)) {
  beforeEach(({ task, skip }) => {
    if (/\(postgres, /.test(nameOf(task))) skip();
  });
}

// The core's rules are the same over every store and transport, so one of each is enough for them.
if (shard.startsWith('core/')) {
  beforeEach(({ task, skip }) => {
    if (/\(sqlite, |over HTTP/.test(nameOf(task))) skip();
  });
}

/** With the names of its groups. */
function nameOf(task: RunnerTestCase): string {
  const names: string[] = [];
  let at: RunnerTestCase | RunnerTestSuite | undefined = task;
  for (; at !== undefined; at = at.suite) names.unshift(at.name);
  return names.join(' ');
}
