import { createFakeProcessor, type FakeProcessor, faultKinds } from '@chairside/fake-processor';
import {
  createManualClock,
  type DrivenFault,
  type DrivenProcessor,
  driveProcessor,
} from '@chairside/testkit';
import { describe, expect, it } from 'vitest';

const account = 'acct_shop';
const handle = { account, paymentId: 'cpm_1', installation: 'here', begunAt: 0 };
const money = { amountMinor: 4500n, currency: 'eur' };

function createFake(): FakeProcessor {
  return createFakeProcessor({ clock: createManualClock(), seed: 'driven' });
}

/** The fake's adapter, of which the driver knows no faults. */
function createDriven(): DrivenProcessor {
  const fake = createFake();
  return driveProcessor(fake, {
    longestHoldMs: fake.longestHoldMs,
    entries: async () => fake.entries(),
    presentCard: async (clientSecret) =>
      fake.presentCard(clientSecret, 'visa_credit')._unsafeUnwrap().externalPaymentReference.id,
  });
}

/** Captures a payment under one key, again under the same key, and then under another one. */
async function captureAgain(processor: DrivenProcessor, fault: DrivenFault): Promise<unknown> {
  const opening = { ...handle, ...money, idempotencyKey: 'open' };
  const { clientSecret } = (await processor.openPayment(opening))._unsafeUnwrap();
  const presented = (await processor.presentCard(clientSecret, 'visa_credit'))._unsafeUnwrap();
  const reference = presented.externalPaymentReference.id;
  const capture = (idempotencyKey: string) =>
    processor.capturePayment({ ...handle, ...money, reference, idempotencyKey });
  const status = async () => (await processor.entries()).map((entry) => entry.status);

  processor.failNext('capturePayment', fault);
  const capturing = capture('one');
  await new Promise((resolve) => setImmediate(resolve));
  const seen: unknown[] = [await status()];
  seen.push(processor.release(), await capturing, await status());
  seen.push(await processor.landAbandoned(), await status());
  seen.push(await capture('one'), await capture('two'), await status());
  return [...seen, processor.count('capturePayment').made];
}

describe('driveProcessor without controls of faults', () => {
  it.each(faultKinds)('answers %s as the fake does', async (fault) => {
    expect(await captureAgain(createDriven(), fault)).toEqual(
      await captureAgain(createFake(), fault),
    );
  });

  it('answers for accounts that are disabled, until they are enabled', async () => {
    const processor = createDriven();
    const read = () => processor.readPayment(handle);
    await processor.disableAccount(account);
    expect((await read())._unsafeUnwrapErr()).toEqual({ kind: 'notSetUp' });
    expect((await processor.readPayment({ ...handle, account: 'other' })).isOk()).toBe(true);
    await processor.enableAccount(account);
    expect((await read()).isOk()).toBe(true);
  });

  it('rejects a terminal location that is no longer accepted', async () => {
    const processor = createDriven();
    const token = (terminalLocation: string) =>
      processor.createConnectionToken({ account, terminalLocation });
    await processor.rejectLocation('gone');
    expect((await token('gone'))._unsafeUnwrapErr().kind).toBe('rejected');
    expect((await token('here')).isOk()).toBe(true);
  });

  it('returns an error for an action that has no control', async () => {
    const processor = createDriven();
    expect((await processor.refund('pay_1', 100n)).isErr()).toBe(true);
    expect((await processor.completeSetup('secret')).isErr()).toBe(true);
    expect((await processor.takeEvents())._unsafeUnwrap()).toEqual([]);
  });
});
