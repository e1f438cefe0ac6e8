import { describe, expect, it, vi } from 'vitest';
import { testPorts } from '../../test/ports.ts';
import { getTerminal, now, problem, value } from '../../test/support.ts';
import { operations } from '../chairside.ts';
import { ask } from '../payment/carry.ts';
import type { Ports } from '../ports/ports.ts';
import { doNotRetry, fault, retryLater, toProblem } from '../problems/problem.ts';
import { err, errAsync, ok, okAsync, type Result, type Steps } from '../values/result.ts';
import { type Call, defaultRateLimits } from './access.ts';
import { otherRequest } from './idempotency.ts';
import { bind } from './operation.ts';
import {
  createBackground,
  perform,
  problemFor,
  type Run,
  type StepError,
  withDeadline,
  withoutDeadline,
} from './perform.ts';

const ada = { subject: 'user-1', barberId: 'barber-1' };
const call = (over: Partial<Call> = {}): Call => ({ auth: ada, facts: {}, ...over });
const conflict = { kind: 'storeConflict', change: 'updatePayment' } as const;
const gone = (outcome: 'notApplied' | 'unknown') =>
  ({ kind: 'storeUnavailable', outcome }) as const;
const unknownLater = { outcome: 'unknown', retry: 'retrySameRequestAfterDelay' };

async function* stepsOf<T, E>(end: Result<T, E> | Promise<Result<T, E>>): Steps<T, E> {
  return yield* await end;
}

/** Steps that return these errors in turn, then `done`, with the number of their runs. */
function stepsThatEndIn(...errors: StepError[]) {
  const ran = { times: 0 };
  const steps = (): Steps<string, StepError> => {
    const error = errors[ran.times];
    ran.times += 1;
    return stepsOf(error === undefined ? ok('done') : err(error));
  };
  return { ran, steps };
}

describe('the frame around a use case', () => {
  it('returns the result of the steps, and tells the observer', async () => {
    const { ports, seen } = testPorts();
    const { steps } = stepsThatEndIn();
    expect(value(await perform(ports, getTerminal, ada, steps))).toBe('done');
    const observed = { kind: 'operation', name: 'getTerminal', startedAt: now, endedAt: now };
    expect(seen).toEqual([{ ...observed, outcome: 'ok' }]);
  });

  it('runs a plain function as it runs steps, again after a lost race', async () => {
    const { ports } = testPorts();
    let runs = 0;
    const act = async (): Promise<Result<string, StepError>> => {
      runs += 1;
      return runs === 1 ? err(conflict) : ok('done');
    };
    expect(value(await perform(ports, getTerminal, ada, act))).toBe('done');
    expect(runs).toBe(2);
    const missing = async () => err(fault('notFound', 'There is no such terminal.'));
    expect(problem(await perform(ports, getTerminal, ada, missing)).type).toBe('notFound');
  });

  it('passes the caller, the call and the ports to the steps', async () => {
    const { ports } = testPorts();
    const theCall = call();
    const run = await perform(ports, getTerminal, theCall, (run) => stepsOf(ok(run)));
    // The processor's deadline is a second here; a request has two of them (D146).
    expect(value(run)).toEqual({
      ports: {
        ...ports,
        endsAt: now + 2000,
        acting: { subject: ada.subject, requestId: undefined },
      },
      auth: ada,
      call: theCall,
      name: 'getTerminal',
      begun: { id: undefined },
    });
  });

  it('accepts a bare auth context as a call, and undefined as unauthenticated', async () => {
    const { ports } = testPorts();
    const run = value(await perform(ports, getTerminal, ada, (run) => stepsOf(ok(run))));
    expect(run.call.auth).toBe(ada);
    expect(run.call.facts.rateLimit?.remaining).toBe(299);
    const refused = await perform(ports, getTerminal, undefined, () => stepsOf(ok('never')));
    expect(problem(refused).type).toBe('unauthorized');
  });

  it.each([null, false, '', { auth: false, facts: {} }])(
    'treats %j as unauthenticated',
    async (given) => {
      const { ports } = testPorts();
      const caller = given as never; // cast: hosts without types may pass it
      const refused = await perform(ports, getTerminal, caller, () => stepsOf(ok('never')));
      expect(problem(refused)).toMatchObject({
        type: 'unauthorized',
        recovery: { sessionAction: 'signIn' },
      });
    },
  );

  it('makes a fault a problem of this request, at this time', async () => {
    const { ports, seen } = testPorts();
    const { steps } = stepsThatEndIn(fault('notFound', 'There is no such terminal.'));
    const instance = 'https://api.shop.example/terminals/trm_1#req_1';
    const refused = await perform(ports, getTerminal, call({ instance }), steps);
    expect(problem(refused)).toEqual({
      type: 'notFound',
      title: 'The resource does not exist',
      status: 404,
      occurredAt: '2026-11-21T09:00:00.000Z',
      id: 'prb_1',
      detail: 'There is no such terminal.',
      instance,
      recovery: { outcome: 'notApplied', retry: 'doNotRetry' },
    });
    expect(seen).toMatchObject([{ kind: 'operation', outcome: 'notFound' }]);
  });

  it('omits an instance that is too long, or not absolute', async () => {
    const { ports } = testPorts();
    const refusedAt = async (instance: string) => {
      const { steps } = stepsThatEndIn(fault('notFound', 'There is no such terminal.'));
      return problem(await perform(ports, getTerminal, call({ instance }), steps)).instance;
    };
    const instance = 'https://api.shop.example/'.padEnd(2048, 'i');
    expect(await refusedAt(instance)).toHaveLength(2048);
    expect(await refusedAt(`${instance}i`)).toBeUndefined();
    expect(await refusedAt('/terminals#req_1')).toBeUndefined();
  });

  it('does not run the steps for a rejected caller', async () => {
    const { ports, seen } = testPorts();
    const { ran, steps } = stepsThatEndIn();
    const rejected = call({ auth: 'rejectedToken', clientAddress: '192.0.2.1' });
    const refused = problem(
      await perform(ports, getTerminal, rejected, steps, { idempotencyKey: 'key-1' }),
    );
    expect(refused).toMatchObject({
      type: 'unauthorized',
      recovery: { outcome: 'unknown', sessionAction: 'refresh' },
    });
    expect(ran.times).toBe(0);
    expect(seen).toMatchObject([{ kind: 'operation', outcome: 'unauthorized' }]);
  });

  it('counts failed authentications by address, up to the limit', async () => {
    const { ports } = testPorts();
    const { steps } = stepsThatEndIn();
    const rejected = () => call({ auth: 'rejectedToken', clientAddress: '192.0.2.1' });
    const attempts = Array.from({ length: 31 }, () =>
      perform(ports, getTerminal, rejected(), steps).match(String, ({ type }) => type),
    );
    const types = await Promise.all(attempts);
    expect(types.slice(0, 30)).toEqual(Array(30).fill('unauthorized'));
    expect(types[30]).toBe('tooManyRequests');
  });

  it('returns a problem unchanged', async () => {
    const { ports } = testPorts();
    let made: unknown;
    const steps = (run: Run) => {
      const stored = problemFor(
        run.ports,
        run.call,
        fault('contactlessPaymentCanceled', 'Canceled.'),
      );
      made = stored;
      return stepsOf(err(stored));
    };
    expect(
      problem(await perform(ports, getTerminal, ada, steps, { idempotencyKey: 'key-1' })),
    ).toBe(made);
  });
});

describe('steps that lost a race', () => {
  it('run again, up to eight times in all (D63)', async () => {
    const { ports } = testPorts();
    const { ran, steps } = stepsThatEndIn(...Array(7).fill(conflict));
    expect(value(await perform(ports, getTerminal, ada, steps))).toBe('done');
    expect(ran.times).toBe(8);
  });

  it('fail then, with an unknown outcome', async () => {
    const { ports } = testPorts();
    const { ran, steps } = stepsThatEndIn(...Array(99).fill(conflict));
    const refused = problem(await perform(ports, getTerminal, ada, steps));
    expect(refused).toMatchObject({
      type: 'serviceUnavailable',
      detail: 'Too many requests change the same record.',
      recovery: unknownLater,
    });
    expect(ran.times).toBe(8);
  });

  it('are unknown if the store fails afterwards', async () => {
    const { ports } = testPorts();
    const { steps } = stepsThatEndIn(conflict, gone('notApplied'));
    expect(problem(await perform(ports, getTerminal, ada, steps))).toMatchObject({
      detail: 'The database is unavailable.',
      recovery: unknownLater,
    });
  });

  it('count against the quota once', async () => {
    const { ports } = testPorts();
    const theCall = call();
    const { steps } = stepsThatEndIn(conflict, conflict);
    value(await perform(ports, getTerminal, theCall, steps));
    expect(theCall.facts.rateLimit?.remaining).toBe(299);
  });
});

describe('a store failure', () => {
  it.each(['notApplied', 'unknown'] as const)('is a 503, %s unchanged', async (outcome) => {
    const { ports } = testPorts();
    const { ran, steps } = stepsThatEndIn(gone(outcome), conflict);
    const refused = problem(await perform(ports, getTerminal, ada, steps));
    expect(refused).toMatchObject({
      type: 'serviceUnavailable',
      status: 503,
      recovery: { outcome, retry: 'retrySameRequestAfterDelay' },
    });
    expect(ran.times).toBe(1);
  });
});

describe('a thrown error', () => {
  const thrown = (what: unknown) => () => {
    throw what;
  };
  const rejected = (what: unknown) => () => stepsOf<never, never>(Promise.reject(what));

  it.each([
    ['at once', thrown(new TypeError('secret 4242')), 'TypeError'],
    ['later', rejected(new RangeError('secret 4242')), 'RangeError'],
    ['no error at all', thrown('secret 4242'), 'string'],
  ])('from %s is a 500 with an unknown outcome (D68)', async (_how, steps, name) => {
    const { ports, seen } = testPorts();
    const refused = problem(await perform(ports, getTerminal, ada, steps));
    expect(refused).toMatchObject({ type: 'internalError', status: 500, recovery: unknownLater });
    expect(seen).toMatchObject([
      { kind: 'failure', name: 'getTerminal', outcome: name },
      { kind: 'operation', outcome: 'internalError' },
    ]);
    expect(JSON.stringify([refused, seen])).not.toContain('4242');
  });

  it('goes to the host only, as it was thrown, with the id of its request', async () => {
    const failures: unknown[] = [];
    const { ports } = testPorts({
      onFailure: (...told) => failures.push(told),
      observe: undefined,
    });
    const what = new TypeError('secret 4242');
    const call = { auth: ada, requestId: 'req_1', facts: {} };
    problem(await perform(ports, getTerminal, call, thrown(what)));
    expect(failures).toEqual([[what, { name: 'getTerminal', requestId: 'req_1' }]]);
  });

  it('from the listener of failures is ignored', async () => {
    const { ports } = testPorts({ onFailure: thrown(new Error('the log is full')) });
    expect(problem(await perform(ports, getTerminal, ada, thrown('x'))).type).toBe('internalError');
  });

  it('from the observer is ignored (D68)', async () => {
    const observe = thrown(new Error('the log is full'));
    const { ports } = testPorts({ observe });
    const { steps } = stepsThatEndIn();
    expect(value(await perform(ports, getTerminal, ada, steps))).toBe('done');
    expect(problem(await perform(ports, getTerminal, ada, thrown('x'))).type).toBe('internalError');
  });

  it('from an async observer is ignored too', async () => {
    const told = Promise.reject(new Error('the log is full'));
    const caught = vi.spyOn(told, 'catch');
    const { ports } = testPorts({ observe: () => told });
    const { steps } = stepsThatEndIn();
    expect(value(await perform(ports, getTerminal, ada, steps))).toBe('done');
    expect(caught).toHaveBeenCalledOnce();
    await expect(told).rejects.toThrow('the log is full');
  });

  it.each([
    ['the clock', { clock: { now: thrown('x') } }, ada],
    ['the ids', { ids: { next: thrown('x') } }, undefined],
    ['the caller', {}, new Proxy(ada, { has: thrown('x') })],
  ])('from %s still gives a problem', async (_what, over, caller) => {
    const { ports } = testPorts(over);
    const { steps } = stepsThatEndIn();
    expect(problem(await perform(ports, getTerminal, caller, steps))).toMatchObject({
      type: 'internalError',
      id: expect.stringMatching(/^prb_/),
      recovery: unknownLater,
    });
  });

  it('from facts about a message is ignored, since they serve problems alone', async () => {
    const { ports } = testPorts();
    const { receiveProcessorEvent } = bind(ports, operations);
    const input = { payload: '', headers: {} };
    const known = new Proxy({}, { ownKeys: thrown('x') });
    expect(problem(await receiveProcessorEvent(input, known)).type).toBe(
      problem(await receiveProcessorEvent(input)).type,
    );
  });

  it('an input that is not an object is rejected, and not applied', async () => {
    const { ports, seen } = testPorts();
    // cast: hosts without types may pass it
    const none = undefined as never;
    const bound = bind(ports, operations);
    const answers = [
      await bound.createContactlessPayment(ada, none),
      await bound.captureContactlessPayment(ada, none),
      await bound.preparePaymentMethod(ada, none),
      await bound.records.putBarber(none),
    ];
    expect(seen.at(-1)).toMatchObject({ name: 'putBarber', outcome: 'badRequest' });
    for (const answer of answers) {
      const refused = answer.isErr() ? answer.error : undefined;
      expect(refused).toMatchObject({ type: 'badRequest', recovery: { outcome: 'notApplied' } });
    }
    expect(problem(await bound.createContactlessPayment(ada, none))).toMatchObject({
      problems: [{ detail: 'The input must be an object.', attributes: { pointer: '' } }],
    });
    const { steps } = stepsThatEndIn(fault('conflict', 'No.'));
    const keyed = { idempotencyKey: 7 as never }; // cast: as above
    expect(problem(await perform(ports, getTerminal, ada, steps, keyed)).type).toBe('conflict');
  });

  it('the limiter, too', async () => {
    const { ports, seen } = testPorts({ rateLimiter: { take: thrown(new Error('no Redis')) } });
    const theCall = call();
    const { steps } = stepsThatEndIn();
    expect(value(await perform(ports, getTerminal, theCall, steps))).toBe('done');
    expect(theCall.facts).toEqual({});
    expect(seen).toMatchObject([
      { kind: 'failure', name: 'rateLimiter', outcome: 'limiterFailed' },
      { kind: 'operation', outcome: 'ok' },
    ]);
  });
});

describe('the observations of a call', () => {
  it('carry the id of the request, also from within the steps', async () => {
    const { ports, seen } = testPorts();
    const steps = ({ ports }: Run) => {
      ports.observe?.({ kind: 'commit', changes: [], outcome: 'ok', startedAt: 0, endedAt: 0 });
      return stepsOf(ok('done'));
    };
    value(await perform(ports, getTerminal, call({ requestId: 'req_7' }), steps));
    value(await perform(ports, getTerminal, call(), steps));
    expect(seen.map(({ kind, requestId }) => [kind, requestId])).toEqual([
      ['commit', 'req_7'],
      ['operation', 'req_7'],
      ['commit', undefined],
      ['operation', undefined],
    ]);
  });

  it('carry the request id for failures too', async () => {
    const take = () => errAsync({ kind: 'limiterFailed' } as const);
    const { ports, seen } = testPorts({ rateLimiter: { take } });
    const steps = () => {
      throw new Error('failed');
    };
    problem(await perform(ports, getTerminal, call({ requestId: 'req_7' }), steps));
    expect(seen.map(({ requestId }) => requestId)).toEqual(['req_7', 'req_7', 'req_7']);
  });

  it('are not required', async () => {
    const { ports } = testPorts({ observe: undefined });
    const { steps } = stepsThatEndIn();
    const result = await perform(ports, getTerminal, call({ requestId: 'req_7' }), steps);
    expect(value(result)).toBe('done');
  });
});

describe('while a key has an unfinished claim', () => {
  const unreadable: Ports['store']['keys'] = { get: () => errAsync(gone('notApplied')) };

  async function recoveryOf(
    keys: Ports['store']['keys'],
    idempotencyKey: string | undefined,
    error: StepError,
  ) {
    const { ports } = testPorts();
    const store = { ...ports.store, keys };
    const { steps } = stepsThatEndIn(error);
    return problem(await perform({ ...ports, store }, getTerminal, ada, steps, { idempotencyKey }))
      .recovery;
  }

  it('no problem says "not applied" (D22)', async () => {
    const recovery = { ...retryLater, sessionAction: 'refresh' } as const;
    const refused = fault('conflict', 'Later.', { recovery });
    const notApplied = { ...recovery, outcome: 'notApplied' };
    expect(await recoveryOf(unreadable, ' key-1 ', refused)).toEqual({
      ...recovery,
      outcome: 'unknown',
    });
    const free: Ports['store']['keys'] = { get: () => okAsync(undefined) };
    expect(await recoveryOf(free, 'key-1', refused)).toEqual(notApplied);
    expect(await recoveryOf(unreadable, undefined, refused)).toEqual(notApplied);
  });

  it.each(['badRequest', 'forbidden', 'notFound', 'unsupportedMediaType'] as const)(
    'a %s stays unknown, under any repetition',
    async (type) => {
      expect(await recoveryOf(unreadable, 'key-1', fault(type, 'No.'))).toEqual({
        outcome: 'unknown',
        retry: 'doNotRetry',
      });
    },
  );

  it('a rate limit says "unknown", and does not look up the key', async () => {
    const reads = { windowMs: 60_000, limit: 0 };
    const { ports } = testPorts({ rateLimits: { ...defaultRateLimits, reads } });
    const { steps } = stepsThatEndIn();
    const refused = problem(
      await perform(ports, getTerminal, ada, steps, { idempotencyKey: 'key-1' }),
    );
    expect(refused).toMatchObject({ type: 'tooManyRequests', recovery: unknownLater });
  });

  it('a failure with doNotRetry keeps doNotRetry', async () => {
    const misconfigured = fault('internalError', 'The host has read the body.');
    expect(await recoveryOf(unreadable, 'key-1', misconfigured)).toEqual({
      outcome: 'unknown',
      retry: 'doNotRetry',
    });
  });

  it('the comparison of two requests still says so', async () => {
    expect(await recoveryOf(unreadable, 'key-1', otherRequest)).toEqual(doNotRetry);
  });

  it('an unknown outcome needs no look-up', async () => {
    let reads = 0;
    const keys: Ports['store']['keys'] = {
      get: () => {
        reads += 1;
        return okAsync(undefined);
      },
    };
    expect(await recoveryOf(keys, 'key-1', gone('unknown'))).toEqual(unknownLater);
    expect(reads).toBe(0);
    await recoveryOf(keys, 'key-1', gone('notApplied'));
    expect(reads).toBe(1);
  });

  it('looks the trimmed key up under the caller', async () => {
    const asked: string[][] = [];
    const keys: Ports['store']['keys'] = {
      get(...question) {
        asked.push(question);
        return okAsync(undefined);
      },
    };
    await recoveryOf(keys, ' key-1 ', fault('conflict', 'No.'));
    expect(asked).toEqual([['user-1', 'key-1']]);
  });
});

it('a stored problem is made like any other', () => {
  const { ports } = testPorts();
  const run = { ports, auth: ada, call: call({ instance: 'https://a.example/#1' }) };
  const expected = { newId: () => 'prb_1', at: now, instance: 'https://a.example/#1' };
  const faulty = fault('unprocessableEntity', 'No.');
  expect(problemFor(run.ports, run.call, faulty)).toEqual(toProblem(faulty, expected));
});

const { ports } = testPorts();
const withDeadlineOf = (deadlineMs: number) =>
  withDeadline({ ...ports, processor: { ...ports.processor, deadlineMs } }, now);

describe('the deadline of a request', () => {
  it('comes after two deadlines of the processor', () => {
    expect(withDeadlineOf(1000).endsAt).toBe(now + 2000);
    expect(withoutDeadline(withDeadlineOf(1000)).endsAt).toBeUndefined();
  });

  it("is by the database server's time, as its clock is (D42)", () => {
    const shared = withDeadline(ports, now, 5000);
    expect(shared.clock.now()).toBe(now - 5000);
    expect(shared.endsAt).toBe(now - 5000 + 2 * ports.processor.deadlineMs);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, undefined])(
    'is absent if the processor states %s: its calls are sent (D146)',
    async (deadlineMs) => {
      // cast: adapters without types may omit it
      const endless = withDeadlineOf(deadlineMs as number);
      expect(endless).not.toHaveProperty('endsAt');
      const answer = await ask(endless, 'readPayment', () => okAsync('sent'));
      expect(answer.unwrapOr('not sent')).toBe('sent');
    },
  );
});

describe('the background', () => {
  it('begins no task before the caller is done', async () => {
    const background = createBackground(() => undefined);
    const steps: string[] = [];
    background.run(async () => {
      steps.push('task');
    });
    steps.push('answer');
    await background.settled();
    expect(steps).toEqual(['answer', 'task']);
  });

  it('is settled when the tasks of tasks are done, failed ones included, and tells what they threw', async () => {
    const thrown: unknown[] = [];
    const background = createBackground((error) => thrown.push(error));
    let done = 0;
    const nested = (depth: number) => async () => {
      if (depth > 0) background.run(nested(depth - 1));
      await Promise.resolve();
      done += 1;
      throw new Error('what a task throws is told');
    };
    background.run(nested(3));
    background.run(() => {
      throw new Error('at once, too');
    });
    await background.settled();
    expect(done).toBe(4);
    expect(thrown.map((error) => Object(error).message)).toEqual([
      'at once, too',
      ...Array(4).fill('what a task throws is told'),
    ]);
  });

  it('is not settled while a task that another began still waits', async () => {
    const background = createBackground(() => undefined);
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const events: string[] = [];
    background.run(async () => {
      background.run(async () => {
        await gate;
        events.push('done');
      });
    });
    const settled = background.settled().then(() => events.push('settled'));
    for (let turn = 0; turn < 100; turn += 1) await Promise.resolve();
    expect(events).toEqual([]);
    open();
    await settled;
    expect(events).toEqual(['done', 'settled']);
  });

  it('is settled at once when no task runs', async () => {
    await expect(createBackground(() => undefined).settled()).resolves.toBeUndefined();
  });

  it('drops tasks beyond 256 at once, and accepts more afterwards (D63)', async () => {
    const background = createBackground(() => undefined);
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    let done = 0;
    const task = async () => {
      await gate;
      done += 1;
    };
    for (let i = 0; i < 300; i += 1) background.run(task);
    open();
    await background.settled();
    expect(done).toBe(256);
    background.run(task);
    await background.settled();
    expect(done).toBe(257);
  });

  it('hands each task to the host, which must not be able to stop it (D134)', async () => {
    const kept: Promise<void>[] = [];
    const background = createBackground(
      () => undefined,
      (task) => {
        kept.push(task);
        throw new Error('no request is under way');
      },
    );
    const steps: string[] = [];
    background.run(async () => void steps.push('task'));
    expect(kept).toHaveLength(1);
    await Promise.all(kept);
    expect(steps).toEqual(['task']);
  });
});
