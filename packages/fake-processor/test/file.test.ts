import { randomUUID } from 'node:crypto';
import {
  appendFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFakeProcessor, type FakeProcessor } from '@chairside/fake-processor';
import { afterAll, describe, expect, it } from 'vitest';
import { charge, value } from './helpers.ts';

const folder = mkdtempSync(join(tmpdir(), 'fake-'));
afterAll(() => rmSync(folder, { recursive: true }));
const newPath = () => join(folder, randomUUID());
const open = (file: string) => createFakeProcessor({ file });

/** Opens a payment and captures it. Returns its reference. */
async function pay(fake: FakeProcessor, paymentId: string): Promise<string> {
  const mine = { ...charge, paymentId };
  const opened = value(await fake.openPayment({ ...mine, idempotencyKey: `open ${paymentId}` }));
  const { id } = value(
    fake.presentCard(opened.clientSecret, 'visa_credit'),
  ).externalPaymentReference;
  const capturing = { ...mine, reference: id, idempotencyKey: `capture ${paymentId}` };
  value(await fake.capturePayment(capturing));
  return id;
}

describe('a fake with a file', () => {
  it('refunds after a restart what it captured before', async () => {
    const file = newPath();
    const reference = await pay(open(file), 'cpm_1');
    const restarted = open(file);
    expect(restarted.bookEntry(reference)).toMatchObject({ status: 'captured' });
    value(restarted.refund(reference, charge.amountMinor));
    expect(open(file).entries()).toEqual(restarted.entries());
    expect(open(file).bookEntry(reference)?.refunds).toHaveLength(1);
  });

  it('shows what another process has written since', async () => {
    const file = newPath();
    const reader = open(file);
    const reference = await pay(open(file), 'cpm_1');
    expect(reader.bookEntry(reference)).toMatchObject({ status: 'captured' });
  });

  it('gives no id again after its file was deleted', async () => {
    const file = newPath();
    const before = await pay(open(file), 'cpm_1');
    rmSync(file);
    expect(await pay(open(file), 'cpm_1')).not.toBe(before);
  });

  it('drops the line that a dying process did not end', async () => {
    const file = newPath();
    const reference = await pay(open(file), 'cpm_1');
    const whole = readFileSync(file, 'utf8');
    appendFileSync(file, whole.trimEnd().split('\n').at(-1)?.slice(0, -9) ?? '');
    const restarted = open(file);
    expect(readFileSync(file, 'utf8')).toBe(whole);
    value(restarted.refund(reference, 1n));
    expect(open(file).entries()).toEqual(restarted.entries());
  });

  it('begins anew where a process died before it had written the first line', async () => {
    const file = newPath();
    open(file);
    writeFileSync(file, readFileSync(file, 'utf8').slice(0, 12));
    await pay(open(file), 'cpm_1');
    expect(open(file).entries()).toHaveLength(1);
  });

  it('keeps the present records only, once most are old', async () => {
    const file = newPath();
    const fake = open(file);
    const reference = await pay(fake, 'cpm_1');
    const line = readFileSync(file, 'utf8').trimEnd().split('\n').at(-1) ?? '';
    appendFileSync(file, `${line}\n`.repeat(1000));
    const { size } = statSync(file);
    const restarted = open(file);
    expect(statSync(file).size).toBeLessThan(size / 100);
    expect(restarted.entries()).toEqual(fake.entries());
    // The process that opened it before goes on in the new file.
    value(fake.refund(reference, 1n));
    expect(restarted.bookEntry(reference)?.refunds).toHaveLength(1);
  });

  it('is for its owner alone, because it holds client secrets', () => {
    const file = newPath();
    open(file);
    expect(statSync(file).mode & 0o077).toBe(0);
  });

  it.each(['{"records":[]}', 'SQLite format 3\0'])('leaves another file as it is: %j', (text) => {
    const file = newPath();
    writeFileSync(file, text);
    expect(() => open(file)).toThrow(`file: ${file}: it is not the file of a fake processor`);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('says which file cannot be opened', () => {
    const file = join(newPath(), 'books');
    expect(() => open(file)).toThrow(`file: ${file}: ENOENT`);
  });

  it('cannot tell what became of a call while the file is gone', async () => {
    const file = newPath();
    const fake = open(file);
    rmSync(file);
    const opened = await fake.openPayment({ ...charge, idempotencyKey: 'open' });
    expect(opened._unsafeUnwrapErr()).toMatchObject({ kind: 'unavailable', outcome: 'unknown' });
  });
});
