import type { ResultAsync } from '@chairside/core';
import type { ProcessorError } from '@chairside/core/ports';
import {
  type CallName,
  callNames,
  type FakeProcessor,
  type FaultKind,
  faultKinds,
  platformAccount,
} from '@chairside/fake-processor';
import { describe, expect, it } from 'vitest';
import {
  authorizePayment,
  capturePayment,
  charge,
  openPayment,
  problem,
  setUp,
  setup,
  startAt,
  sweep,
  value,
} from './helpers.ts';

const unanswered = { kind: 'unavailable', outcome: 'unknown', answered: false };
const failed = { kind: 'unavailable', outcome: 'unknown', answered: true };

/** The caller's immediate result, whether the call was applied, and whether the reply is stored. */
const expectations: Readonly<
  Record<FaultKind, { error?: object; applied: boolean; kept?: true; held?: true; lands?: true }>
> = {
  slow: { applied: false, held: true },
  slowReply: { applied: true, held: true },
  timeoutBeforeApplying: { error: unanswered, applied: false },
  timeoutAfterApplying: { error: unanswered, applied: true },
  landsLater: { error: unanswered, applied: false, lands: true },
  lostReply: { error: unanswered, applied: true },
  refused: {
    error: { kind: 'unavailable', outcome: 'notApplied', answered: false },
    applied: false,
  },
  rateLimited: { error: { kind: 'rateLimited' }, applied: false },
  notSetUp: { error: { kind: 'notSetUp' }, applied: false, kept: true },
  failure: { error: failed, applied: false, kept: true },
  failureAfterApplying: { error: failed, applied: true, kept: true },
  rejected: { error: { kind: 'rejected', reason: 'scripted' }, applied: false, kept: true },
};

interface Subject {
  /** Whether the call changes the books at all. */
  readonly changes: boolean;
  readonly prepare: (fake: FakeProcessor) => Promise<unknown>;
  readonly call: (fake: FakeProcessor) => ResultAsync<unknown, ProcessorError>;
}

const request = { ...charge, idempotencyKey: 'key' };
const refund = {
  ...request,
  refundId: 'rfd_1',
  amountMinor: 1000n,
  returnsFee: false,
  reversesTransfer: true,
};
const nothing = async () => undefined;
/** The method that was saved last. */
let method = { customerId: setup.customerId, setupReference: '', paymentMethod: '' };
const subjects: Readonly<Record<CallName, Subject>> = {
  authorizeMethod: {
    changes: true,
    prepare: async (fake) => {
      const { clientSecret, reference } = value(await fake.openSetup(setup));
      const completed = value(fake.completeSetup(clientSecret));
      method = { ...method, setupReference: reference, ...completed };
    },
    call: (fake) => fake.charges.authorize({ ...request, method }),
  },
  openPayment: { changes: true, prepare: nothing, call: (fake) => fake.openPayment(request) },
  readPayment: {
    changes: false,
    prepare: authorizePayment,
    call: (fake) => fake.readPayment(request),
  },
  capturePayment: {
    changes: true,
    prepare: authorizePayment,
    call: (fake) => fake.capturePayment(request),
  },
  cancelPayment: {
    changes: true,
    prepare: authorizePayment,
    call: (fake) => fake.cancelPayment(request),
  },
  createConnectionToken: {
    changes: false,
    prepare: nothing,
    call: (fake) => fake.createConnectionToken(request),
  },
  listPayments: {
    changes: false,
    prepare: authorizePayment,
    call: (fake) => fake.listPayments(sweep),
  },
  readReceipt: {
    changes: false,
    prepare: authorizePayment,
    call: (fake) => fake.readReceipt(request),
  },
  openSetup: {
    changes: true,
    prepare: nothing,
    call: (fake) => fake.openSetup({ ...setup, idempotencyKey: 'key' }),
  },
  readSetup: {
    changes: false,
    prepare: (fake) => Promise.resolve(fake.openSetup(setup)),
    call: (fake) => fake.readSetup(setup),
  },
  cancelSetup: {
    changes: true,
    prepare: (fake) => Promise.resolve(fake.openSetup(setup)),
    call: (fake) => fake.cancelSetup({ ...setup, idempotencyKey: 'cancel' }),
  },
  refund: {
    changes: true,
    prepare: capturePayment,
    call: (fake) => fake.refunds.refund(refund),
  },
  listRefunds: {
    changes: false,
    prepare: capturePayment,
    call: (fake) => fake.refunds.list(request),
  },
  listRecentRefunds: {
    changes: false,
    prepare: capturePayment,
    call: (fake) => fake.refunds.listRecent(sweep),
  },
  listDisputes: {
    changes: false,
    prepare: capturePayment,
    call: (fake) => fake.disputes.list(request),
  },
  listRecentDisputes: {
    changes: false,
    prepare: capturePayment,
    call: (fake) => fake.disputes.listRecent(sweep),
  },
  listEntries: {
    changes: false,
    prepare: capturePayment,
    call: (fake) => fake.settlements.listEntries(sweep),
  },
  listPayouts: {
    changes: false,
    prepare: capturePayment,
    call: (fake) => fake.settlements.listPayouts(sweep),
  },
  parseEvent: {
    changes: false,
    prepare: nothing,
    call: (fake) => fake.parseEvent(fake.signEvent('{"id":"e","type":"t"}'), startAt),
  },
};

const matrix = callNames.flatMap((name) => faultKinds.map((fault) => [fault, name] as const));

describe('every fault on every call', () => {
  it.each(matrix)('%s on %s', async (fault, name) => {
    const { changes, prepare, call } = subjects[name];
    const { error, applied, kept, held, lands } = expectations[fault];
    const { fake } = setUp();
    await prepare(fake);
    const before = fake.count(name).applied;
    const changed = () => fake.count(name).applied - before;

    fake.failNext(name, fault);
    let answered = false;
    const first = Promise.resolve(call(fake)).finally(() => {
      answered = true;
    });
    if (held) {
      await turn();
      expect(answered).toBe(false);
      expect(changed()).toBe(applied && changes ? 1 : 0);
      expect(fake.release()).toBe(1);
      expect((await first).isOk()).toBe(true);
      expect(fake.release()).toBe(0);
    } else {
      expect(await first).toMatchObject({ error });
      expect(changed()).toBe(applied && changes ? 1 : 0);
    }

    if (lands) {
      expect(fake.landAbandoned()).toBe(1);
      expect(fake.landAbandoned()).toBe(0);
      expect(changed()).toBe(changes ? 1 : 0);
    }

    // The fault is over. The same key has one effect, or repeats its failure.
    const again = await call(fake);
    if (kept && changes) expect(again).toMatchObject({ error });
    else expect(again.isOk()).toBe(true);
    expect(changed()).toBe(changes && !(kept && !applied) ? 1 : 0);
    expect(fake.count(name).made).toBeGreaterThanOrEqual(2);
  });
});

describe('the script', () => {
  it('is followed in order, call by call, and then ends', async () => {
    const { fake } = setUp();
    fake.failNext('openPayment', 'refused', 2);
    fake.failNext('openPayment', 'rateLimited');
    fake.failNext('cancelPayment', 'notSetUp');
    const kinds = [];
    for (let i = 0; i < 3; i += 1) kinds.push(problem(await fake.openPayment(request)).kind);
    expect(kinds).toEqual(['unavailable', 'unavailable', 'rateLimited']);
    expect(value(await fake.openPayment(request)).reference).toBeDefined();
    const cancel = { ...request, idempotencyKey: 'cancel' };
    expect(problem(await fake.cancelPayment(cancel))).toEqual({ kind: 'notSetUp' });
    expect(problem(await fake.cancelPayment(cancel))).toMatchObject({ repeated: true });
  });

  it('precedes a simulator, which sees each call without its secrets', async () => {
    const seen: unknown[] = [];
    const { fake } = setUp({
      faults: (call) => {
        seen.push(call);
        return 'refused';
      },
    });
    fake.failNext('openPayment', 'rateLimited');
    expect(problem(await fake.openPayment(request)).kind).toBe('rateLimited');
    expect(problem(await fake.openPayment(request)).kind).toBe('unavailable');
    expect(seen).toEqual([
      { name: 'openPayment', account: 'acct_1', paymentId: 'cpm_1', idempotencyKey: 'key' },
    ]);
  });

  it('shows a simulator the object of a setup or an event', async () => {
    const seen: unknown[] = [];
    const { fake } = setUp({
      faults: (call) => {
        seen.push(call);
        return undefined;
      },
    });
    for (const name of ['openSetup', 'readSetup', 'parseEvent'] as const) {
      expect((await subjects[name].call(fake)).isOk()).toBe(true);
    }
    const account = platformAccount;
    expect(seen).toEqual([
      { name: 'openSetup', account, setupId: 'pms_1', idempotencyKey: 'key' },
      { name: 'readSetup', account, setupId: 'pms_1', idempotencyKey: 'setup_1' },
      { name: 'parseEvent', account },
    ]);
  });
});

describe('slow calls', () => {
  it('a key in flight is neither answered nor applied twice', async () => {
    const { fake } = setUp();
    await authorizePayment(fake);
    fake.failNext('capturePayment', 'slow');
    const first = fake.capturePayment(request);
    expect(problem(await fake.capturePayment(request))).toEqual(unanswered);
    fake.release();
    expect(value(await first).status).toBe('captured');
    expect(value(await fake.capturePayment(request)).status).toBe('captured');
    expect(fake.count('capturePayment')).toEqual({ made: 3, applied: 1 });
  });

  it('a cancel overtakes a slow capture', async () => {
    const { fake } = setUp();
    await authorizePayment(fake);
    fake.failNext('capturePayment', 'slow');
    const capture = fake.capturePayment(request);
    value(await fake.cancelPayment({ ...charge, idempotencyKey: 'cancel' }));
    fake.release();
    expect(problem(await capture)).toEqual({ kind: 'rejected', reason: 'unexpectedState' });
  });

  it('an abandoned capture that lands after its retry has no effect', async () => {
    const { fake } = setUp();
    await authorizePayment(fake);
    fake.failNext('capturePayment', 'landsLater');
    expect(problem(await fake.capturePayment(request))).toEqual(unanswered);
    expect(value(await fake.readPayment(charge))?.status).toBe('authorized');
    value(await fake.capturePayment(request));
    expect(fake.landAbandoned()).toBe(1);
    expect(fake.count('capturePayment').applied).toBe(1);
  });

  it('an abandoned capture lands before the cancelation', async () => {
    const { fake } = setUp();
    await authorizePayment(fake);
    fake.failNext('capturePayment', 'landsLater');
    await problem(await fake.capturePayment(request));
    fake.landAbandoned();
    const cancel = await fake.cancelPayment({ ...charge, idempotencyKey: 'cancel' });
    expect(problem(cancel)).toEqual({ kind: 'rejected', reason: 'unexpectedState' });
  });

  it('delays are awaited before the call and before the reply', async () => {
    const ways: string[] = [];
    const gates: (() => void)[] = [];
    const { fake } = setUp({
      delay: (call, way) => {
        ways.push(`${call.name} ${way}`);
        return new Promise((resolve) => gates.push(resolve));
      },
    });
    const opening = fake.openPayment(request);
    await turn();
    expect(fake.entries()).toHaveLength(0);
    gates.shift()?.();
    await turn();
    expect(fake.entries()).toHaveLength(1);
    gates.shift()?.();
    value(await opening);
    expect(ways).toEqual(['openPayment request', 'openPayment reply']);
  });
});

describe('a fault never', () => {
  it('throws, when the storage or a simulator does', async () => {
    const broken = () => {
      throw new Error('disk full');
    };
    const storage = { get: broken, list: broken, write: broken };
    for (const options of [{ storage }, { faults: broken }, { delay: broken }]) {
      const { fake } = setUp(options);
      // Parsing an event does not use the storage.
      const names = callNames.filter(
        (name) => options.storage === undefined || name !== 'parseEvent',
      );
      for (const name of names) {
        expect(await subjects[name].call(fake), name).toMatchObject({ error: unanswered });
      }
    }
    const { fake } = setUp({ storage });
    for (const control of [
      fake.presentCard('s', 'visa_credit'),
      fake.completeSetup('s'),
      fake.refund('r', 1n),
      fake.dispute('r', 1n),
      fake.pendingEvents(),
      fake.takeEvents(),
    ]) {
      expect(control).toMatchObject({ error: { kind: 'storageFailed' } });
    }
  });

  it('puts a secret into an error', async () => {
    const errors: ProcessorError[] = [];
    for (const [fault, name] of matrix.filter(([fault]) => !expectations[fault].held)) {
      const { fake } = setUp();
      const { clientSecret } = await openPayment(fake);
      fake.failNext(name, fault);
      const answer = await subjects[name].call(fake);
      if (answer.isErr()) errors.push(answer.error);
      expect(JSON.stringify(errors)).not.toContain(clientSecret);
    }
    expect(errors).toHaveLength(callNames.length * 10);
  });
});

/** Resumes everything that can continue. */
async function turn(): Promise<void> {
  for (let i = 0; i < 20; i += 1) await Promise.resolve();
}
