import type { Result } from '@chairside/core';
import type { Change } from '@chairside/core/ports';
import { createCertainty, createRetries } from '@chairside/core/storage';
import { describe, expect, it } from 'vitest';
import { type CommitSteps, commitWith } from '../src/commit-with.ts';

const value = <T>(result: Result<T, unknown>) => result._unsafeUnwrap();
const problem = <E>(result: Result<unknown, E>) => result._unsafeUnwrapErr();

const changes: readonly Change[] = [
  { kind: 'deleteKeys', resourceId: 'first' },
  { kind: 'deleteKeys', resourceId: 'second' },
];
const theCommit = { id: 'commit-1', at: 0, changes };
const gone = new Error('the connection has ended');
const busy = new Error('a deadlock');
const unapplied = { kind: 'storeUnavailable', outcome: 'notApplied' };
const unknown = { kind: 'storeUnavailable', outcome: 'unknown' };

/** Steps that succeed and note their names, but for those given. */
function given(over: Partial<CommitSteps<string>> = {}) {
  const calls: string[] = [];
  const noted = (name: keyof CommitSteps<string>) => {
    calls.push(name);
  };
  const steps: CommitSteps<string> = {
    begin: () => {
      noted('begin');
      return 'transaction';
    },
    remember: () => {
      noted('remember');
      return 'new';
    },
    deny: () => {
      noted('deny');
      return false;
    },
    apply: () => {
      noted('apply');
      return true;
    },
    commit: () => noted('commit'),
    rollback: () => noted('rollback'),
    mayRetry: (error) => error === busy,
    ...over,
  };
  const reported: unknown[] = [];
  const certainty = createCertainty(
    createRetries(3, async () => {}),
    (error) => reported.push(error),
  );
  const { commit, wasCommitted } = commitWith(steps, certainty);
  return { calls, reported, send: commit, ask: wasCommitted };
}

/** Fails with these errors in turn, and then no more. */
function failing(...errors: readonly Error[]) {
  const left = [...errors];
  return () => {
    const next = left.shift();
    if (next !== undefined) throw next;
  };
}

describe('a commit', () => {
  it('is one transaction', async () => {
    const { calls, send } = given();
    value(await send(theCommit));
    expect(calls).toStrictEqual(['begin', 'remember', 'apply', 'apply', 'commit']);
  });

  it('that is there is not applied again, and is answered once it is durable', async () => {
    const { calls, send } = given({ remember: () => 'written' });
    value(await send(theCommit));
    expect(calls).toStrictEqual(['begin', 'commit']);
  });

  it('whose condition fails is undone, and names the change', async () => {
    const { calls, send } = given({ apply: () => false });
    expect(problem(await send(theCommit))).toStrictEqual({
      kind: 'storeConflict',
      change: 'deleteKeys',
    });
    expect(calls).toStrictEqual(['begin', 'remember', 'rollback']);
  });

  it.each(['begin', 'remember', 'apply'] as const)('is not applied if %s fails', async (step) => {
    const { send, reported } = given({
      [step]: () => {
        throw gone;
      },
    });
    expect(problem(await send(theCommit))).toStrictEqual({ ...unapplied, cause: gone });
    expect(reported).toStrictEqual([gone]);
  });

  it('is not applied if undoing it fails as well', async () => {
    const fail = failing(gone, gone);
    const { send } = given({ apply: () => fail() ?? true, rollback: () => fail() });
    expect(problem(await send(theCommit))).toStrictEqual({ ...unapplied, cause: gone });
  });

  it.each(['begin', 'apply'] as const)('is tried again after a deadlock in %s', async (step) => {
    const fail = failing(busy);
    const { send } = given({
      [step]: () => {
        fail();
        return step === 'begin' ? 'transaction' : true;
      },
    });
    value(await send(theCommit));
  });

  it('is tried a bounded number of times', async () => {
    let begun = 0;
    const { send } = given({
      begin: () => {
        begun += 1;
        throw busy;
      },
    });
    expect(problem(await send(theCommit))).toStrictEqual({ ...unapplied, cause: busy });
    expect(begun).toBe(3);
  });

  it('that was denied is not applied', async () => {
    const { calls, send } = given({ remember: () => 'denied' });
    expect(problem(await send(theCommit))).toStrictEqual(unapplied);
    expect(calls).toStrictEqual(['begin', 'rollback']);
  });

  it('that was doubtful is certainly not applied once it is denied', async () => {
    const fail = failing(gone);
    const isFirst = holding(1);
    const { send } = given({
      commit: () => fail(),
      remember: () => (isFirst() ? 'new' : 'denied'),
    });
    expect(problem(await send(theCommit))).toStrictEqual({ ...unapplied, cause: gone });
  });

  it('is unknown if every COMMIT fails, and is found later', async () => {
    const { send, ask } = given({
      commit: failing(gone, gone, gone),
      deny: () => true,
    });
    expect(problem(await send(theCommit))).toStrictEqual({ ...unknown, cause: gone });
    expect(value(await ask('commit-1'))).toBe(true);
  });

  it('that was doubtful once stays so if a later attempt conflicts', async () => {
    const fail = failing(gone);
    const { send } = given({ commit: () => fail(), apply: holding(2) });
    expect(problem(await send(theCommit))).toStrictEqual({ ...unknown, cause: gone });
  });

  it('that was doubtful once stays so if a later attempt does not begin', async () => {
    const fail = failing(gone);
    const mayBegin = holding(1);
    const begin = () => {
      if (!mayBegin()) throw gone;
      return 'transaction';
    };
    const { send } = given({ commit: () => fail(), begin });
    expect(problem(await send(theCommit))).toStrictEqual({ ...unknown, cause: gone });
  });

  it('that COMMIT has undone is not applied, or is tried again', async () => {
    const fail = failing(busy);
    const again = given({ commit: () => fail(), wasUndone: () => true });
    value(await again.send(theCommit));
    const { send } = given({
      commit: () => {
        throw gone;
      },
      wasUndone: () => true,
    });
    expect(problem(await send(theCommit))).toStrictEqual({ ...unapplied, cause: gone });
  });
});

/** Conditions that hold so many times, and then no more. */
function holding(times: number) {
  let left = times;
  return () => {
    left -= 1;
    return left >= 0;
  };
}

describe('a question about a commit', () => {
  it.each([true, false])('is one transaction that may deny it: %s', async (isWritten) => {
    const { calls, ask } = given({ deny: () => isWritten });
    expect(value(await ask('commit-1'))).toBe(isWritten);
    expect(calls).toStrictEqual(['begin', 'commit']);
  });

  it.each(['begin', 'deny', 'commit'] as const)('has no answer if %s fails', async (step) => {
    const { ask, reported } = given({
      [step]: () => {
        throw gone;
      },
    });
    expect(problem(await ask('commit-1'))).toStrictEqual({ ...unapplied, cause: gone });
    expect(reported).toStrictEqual([gone]);
  });

  it('is repeated after a deadlock, and undone before', async () => {
    const fail = failing(busy);
    const { calls, ask } = given({
      deny: () => {
        fail();
        return true;
      },
    });
    expect(value(await ask('commit-1'))).toBe(true);
    expect(calls).toStrictEqual(['begin', 'rollback', 'begin', 'commit']);
  });
});
