import { describe, expect, it } from 'vitest';
import { testPorts } from '../../test/ports.ts';
import { aPayment, now } from '../../test/support.ts';
import { err, errAsync, ok, okAsync } from '../values/result.ts';
import { ask, handleOf, needsNewKey } from './carry.ts';
import { canceled, orUnknown, running } from './faults.ts';

describe('a call to the processor', () => {
  const call = () => okAsync('seen');

  it('is sent before the end of the request, and is reported', async () => {
    const { ports, seen } = testPorts({ endsAt: now + 1 });
    expect(await ask(ports, 'readPayment', call)).toEqual(ok('seen'));
    const span = { startedAt: now, endedAt: now };
    expect(seen).toEqual([{ kind: 'processorCall', name: 'readPayment', outcome: 'ok', ...span }]);
  });

  it('is not sent at the end of the request (D22)', async () => {
    const { ports } = testPorts({ endsAt: now });
    expect(await ask(ports, 'readPayment', call)).toEqual(
      err({ kind: 'unavailable', outcome: 'notApplied', answered: false }),
    );
  });

  it('may have been applied if the adapter throws, and keeps its key', async () => {
    const failures: unknown[] = [];
    const { ports } = testPorts({ onFailure: (...told) => failures.push(told) });
    const broken = new Error('broken');
    const thrown = await ask(ports, 'capturePayment', () => {
      throw broken;
    });
    expect(failures).toEqual([[broken, { name: 'capturePayment' }]]);
    expect(thrown).toEqual(err({ kind: 'unavailable', outcome: 'unknown', answered: false }));
  });

  it('tells an operator that the key is rejected, and not of an outage', async () => {
    const { ports, seen } = testPorts();
    const why = 'keyRejected';
    const refused = { kind: 'unavailable', outcome: 'notApplied', answered: false, why } as const;
    expect(await ask(ports, 'readPayment', () => errAsync(refused))).toEqual(err(refused));
    expect(seen).toMatchObject([{ name: 'readPayment', outcome: 'keyRejected' }]);
  });

  it('names the payment, and its reference once that is known', () => {
    const { ports } = testPorts();
    const handle = {
      account: 'acct_1',
      paymentId: 'cpm_1',
      installation: 'test',
      begunAt: now,
      now,
    };
    expect(handleOf(ports, aPayment())).toStrictEqual(handle);
    const known = handleOf(ports, aPayment({ reference: 'pi_1' }));
    expect(known).toStrictEqual({ ...handle, reference: 'pi_1' });
  });

  it('gets another key only after the processor itself replied (D20)', () => {
    expect(needsNewKey({ kind: 'rejected', reason: 'x' })).toBe(true);
    expect(needsNewKey({ kind: 'unavailable', outcome: 'unknown', answered: true })).toBe(true);
    expect(needsNewKey({ kind: 'unavailable', outcome: 'unknown', answered: false })).toBe(false);
    expect(needsNewKey({ kind: 'rateLimited' })).toBe(false);
    expect(needsNewKey({ kind: 'notSetUp' })).toBe(true);
  });
});

describe('a fault', () => {
  it('is unknown if the store failed after the work was durable (D22)', () => {
    const unavailable = { kind: 'storeUnavailable', outcome: 'notApplied' } as const;
    expect(orUnknown(unavailable)).toEqual({ ...unavailable, outcome: 'unknown' });
    const conflict = { kind: 'storeConflict', change: 'updatePayment' } as const;
    expect(orUnknown(conflict)).toBe(conflict);
    const fault = running();
    expect(orUnknown(fault)).toBe(fault);
  });

  it('says why a payment was canceled, if that explains its capture', () => {
    const line = (what: string, cause: string) => ({ at: now, what, cause });
    const reasonOf = (...timeline: ReturnType<typeof line>[]) =>
      canceled(aPayment({ timeline })).attributes;
    const canceling = line('canceling', 'differsAtProcessor');
    expect(reasonOf(canceling, line('canceled', 'currencyChanged'))).toEqual({
      reason: 'differsAtProcessor',
    });
    expect(reasonOf(line('canceling', 'requested'))).toBeUndefined();
    expect(reasonOf()).toBeUndefined();
  });
});
