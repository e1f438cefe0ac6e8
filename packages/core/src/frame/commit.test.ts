import { describe, expect, it } from 'vitest';
import { testPorts } from '../../test/ports.ts';
import { now, problem } from '../../test/support.ts';
import type { Ports } from '../ports/ports.ts';
import type { Store } from '../ports/store.ts';
import { err, errAsync, ok, okAsync } from '../values/result.ts';
import { actorOf, commit, valueOrReport } from './commit.ts';

const barber = { id: 'barber-1', businessId: 'business-1' };
const changes = [{ kind: 'putBarber', barber }] as const;
const unavailable = (outcome: 'notApplied' | 'unknown') =>
  ({ kind: 'storeUnavailable', outcome }) as const;

/** A store whose commits fail, and which can or cannot be asked about them. */
function failing(error: ReturnType<typeof unavailable>, wasCommitted?: Store['wasCommitted']) {
  const asked: string[] = [];
  const { ports, seen } = testPorts();
  const store: Store = {
    ...ports.store,
    commit: () => errAsync(error),
    wasCommitted(id) {
      asked.push(id);
      return wasCommitted?.(id) ?? errAsync(unavailable('notApplied'));
    },
  };
  const failingPorts: Ports = { ...ports, store };
  return { ports: failingPorts, asked, seen };
}

describe('a commit', () => {
  it('carries an id and the time, and is reported with its changes', async () => {
    const { ports, commits, seen } = testPorts();
    expect((await commit(ports, changes)).isOk()).toBe(true);
    expect(commits).toEqual([{ id: 'cmt_1', at: now, changes }]);
    const times = { startedAt: now, endedAt: now };
    expect(seen).toEqual([{ kind: 'commit', changes: ['putBarber'], outcome: 'ok', ...times }]);
  });

  it('returns the conflict that the store names', async () => {
    const { ports, seen } = testPorts();
    const change = { kind: 'deleteTerminal', id: 'trm_1' } as const;
    const conflict = { kind: 'storeConflict', change: 'deleteTerminal' };
    expect(problem(await commit(ports, [change]))).toEqual(conflict);
    expect(seen).toMatchObject([{ kind: 'commit', outcome: 'storeConflict' }]);
  });

  it('with an unknown outcome is read back, and was written (D22)', async () => {
    const { ports, asked } = failing(unavailable('unknown'), () => okAsync(true));
    expect((await commit(ports, changes)).isOk()).toBe(true);
    expect(asked).toEqual(['cmt_1']);
  });

  it('stays unknown if it is not found: it may still arrive', async () => {
    const { ports, seen } = failing(unavailable('unknown'), () => okAsync(false));
    expect(problem(await commit(ports, changes))).toEqual(unavailable('unknown'));
    expect(seen).toMatchObject([{ kind: 'commit', outcome: 'storeUnavailable' }]);
  });

  it('stays unknown if it cannot be read back', async () => {
    const { ports, asked } = failing(unavailable('unknown'));
    expect(problem(await commit(ports, changes))).toEqual(unavailable('unknown'));
    expect(asked).toHaveLength(1);
  });

  it('that was not applied is not read back', async () => {
    const { ports, asked } = failing(unavailable('notApplied'));
    expect(problem(await commit(ports, changes))).toEqual(unavailable('notApplied'));
    expect(asked).toEqual([]);
  });

  it('works without an observer', async () => {
    const { ports } = testPorts({ observe: undefined });
    expect((await commit(ports, changes)).isOk()).toBe(true);
  });
});

it('a failure of a part is reported, and the run goes on without a value', () => {
  const { ports, seen } = testPorts();
  expect(valueOrReport(ports, 'sweep', ok(7))).toBe(7);
  expect(seen).toEqual([]);
  expect(valueOrReport(ports, 'sweep', err({ kind: 'storeUnavailable' }))).toBeUndefined();
  const failure = { kind: 'failure', name: 'sweep', outcome: 'storeUnavailable' };
  expect(seen).toEqual([{ ...failure, startedAt: now, endedAt: now }]);
});

it('somebody has the number that another process wrote at the same time (D211)', async () => {
  const { ports } = failing(unavailable('unknown'));
  const written = { number: 7, subject: 'user-1' };
  const reads = [undefined, written];
  const store: Store = {
    ...ports.store,
    actors: { ...ports.store.actors, getBySubject: () => okAsync(reads.shift()) },
    commit: () => errAsync({ kind: 'storeConflict', change: 'insertActor' }),
  };
  const by = await actorOf({ ...ports, store, acting: { subject: 'user-1' } });
  expect(by._unsafeUnwrap().actor).toBe(7);
});

it('ten thousand people are known at most, and then looked up again (D211)', async () => {
  const { ports, asked } = failing(unavailable('unknown'));
  const getBySubject = (subject: string) => {
    asked.push(subject);
    return okAsync({ number: Number(subject), subject });
  };
  const store: Store = { ...ports.store, actors: { ...ports.store.actors, getBySubject } };
  const act = async (subject: number) => {
    const acting = { subject: `${subject}`, requestId: 'not\nan id' };
    return (await actorOf({ ...ports, store, acting }))._unsafeUnwrap();
  };
  for (let person = 1; person <= 10_000; person += 1) await act(person);
  expect(await act(1)).toStrictEqual({ actor: 1 });
  expect(asked).toHaveLength(10_000);
  await act(10_001);
  await act(1);
  expect(asked.slice(10_000)).toEqual(['10001', '1']);
});

it.each([
  ['was lost', unavailable('unknown'), 1],
  ['met another each time', { kind: 'storeConflict', change: 'insertActor' } as const, 8],
])('an act is not applied if the number of its person %s', async (_, error, tries) => {
  const { ports } = failing(unavailable('unknown'));
  let tried = 0;
  const commit: Store['commit'] = () => {
    tried += 1;
    return errAsync(error);
  };
  const actors = { ...ports.store.actors, getBySubject: () => okAsync(undefined) };
  const store: Store = { ...ports.store, actors, commit };
  const by = await actorOf({ ...ports, store, acting: { subject: 'user-1' } });
  expect(problem(by)).toEqual(unavailable('notApplied'));
  expect(tried).toBe(tries);
});
