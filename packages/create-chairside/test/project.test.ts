import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@chairside/core';
import { createStripeStandIn } from '@chairside/stripe-stand-in';
import { expect, it, onTestFinished, vi } from 'vitest';
import { type Choices, createProject, packagesOf } from '../src/index.ts';

const usual: Choices = { host: 'h3', store: 'sqlite', processor: 'fake' };

/** A folder that ends with the test. The default is below the workspace, so that imports are found. */
function newFolder(parent: string = import.meta.dirname): string {
  const folder = mkdtempSync(join(parent, 'shop-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** What is printed as an error, and how often the process was to end. */
function watch() {
  const told = vi.spyOn(console, 'error').mockImplementation(() => {});
  // cast: the real one never returns
  const exit = vi.spyOn(process, 'exit').mockImplementation(() => undefined as never);
  onTestFinished(() => void vi.restoreAllMocks());
  onTestFinished(() => void vi.unstubAllEnvs());
  return { told, exit };
}

it('installs by name, unless it gets the packed packages', () => {
  const folder = newFolder(tmpdir());
  createProject(folder, usual);
  const { dependencies, resolutions } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  );
  expect(dependencies['@chairside/core']).toMatch(/^\^\d/);
  expect(resolutions).toBeUndefined();
  expect(existsSync(join(folder, 'vendor'))).toBe(false);
});

it('copies the packed packages, and names no other source of them', () => {
  const packed = newFolder(tmpdir());
  const { version } = JSON.parse(
    readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'),
  );
  for (const name of packagesOf(usual)) {
    writeFileSync(join(packed, `${name.slice(1).replace('/', '-')}-${version}.tgz`), name);
  }
  const folder = join(newFolder(tmpdir()), 'my-shop');
  createProject(folder, usual, packed);
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const named = { ...manifest.dependencies, ...manifest.devDependencies };
  for (const name of packagesOf(usual)) {
    const [, path = ''] = /^file:(vendor\/.*)$/.exec(named[name]) ?? [];
    expect(readFileSync(join(folder, path), 'utf8')).toBe(name);
    expect(manifest.resolutions[name]).toBe(named[name]);
    expect(readFileSync(join(folder, 'pnpm-workspace.yaml'), 'utf8')).toContain(named[name]);
  }
  expect(
    Object.keys(named)
      .filter((name) => name.startsWith('@chairside/'))
      .sort(),
  ).toEqual([...packagesOf(usual)].sort());
});

it('says which packed package is missing, and writes nothing', () => {
  const folder = join(newFolder(tmpdir()), 'my-shop');
  expect(createProject(folder, usual, newFolder(tmpdir()))).toEqual({
    why: expect.stringContaining('chairside-core-'),
  });
  expect(existsSync(folder)).toBe(false);
});

it('gives each project a mark of its own, in a file that only its owner may read', () => {
  const folder = join(newFolder(tmpdir()), 'Corner Shop');
  createProject(folder, usual);
  expect(readFileSync(join(folder, '.env'), 'utf8')).toContain(
    'INSTALLATION=corner-shop-development',
  );
  expect(statSync(join(folder, '.env')).mode & 0o77).toBe(0);
});

it('opens no shop without a mark', async () => {
  const folder = newFolder();
  createProject(folder, usual);
  vi.stubEnv('INSTALLATION', '');
  onTestFinished(() => void vi.unstubAllEnvs());
  const { openShop } = await import(join(folder, 'src/shop.ts'));
  await expect(openShop({})).rejects.toThrow('Set INSTALLATION in .env');
});

it('ends the process once its database is lost', async () => {
  const { told, exit } = watch();
  const folder = newFolder();
  createProject(folder, usual);
  vi.stubEnv('DATABASE', join(folder, 'shop.db'));
  const { openDatabase } = await import(join(folder, 'src/database.ts'));
  const { close } = await openDatabase();
  rmSync(join(folder, 'shop.db'));
  await close();
  expect(exit).toHaveBeenCalledWith(1);
  expect(String(told.mock.calls[0]?.[0])).toContain('was deleted');
});

// The first import of Stripe's SDK takes seconds on a busy machine.
it('says why an account of Stripe cannot take cards', { timeout: 60_000 }, async () => {
  const { told } = watch();
  const folder = newFolder();
  createProject(folder, { ...usual, processor: 'stripe' });
  const secretKey = 'sk_test_standIn';
  const standIn = createStripeStandIn({
    clock: systemClock,
    secretKey,
    webhookSecret: 'whsec_scaffold_0123456789',
  });
  const { host, port, close } = await standIn.listen();
  onTestFinished(close);
  vi.stubEnv('STRIPE_API_BASE', `http://${host}:${port}`);
  vi.stubEnv('STRIPE_SECRET_KEY', secretKey);
  vi.stubEnv('STRIPE_ACCOUNT', standIn.addAccount().id);
  const { openProcessor } = await import(join(folder, 'src/processor.ts'));
  const { processor, check } = openProcessor();
  onTestFinished(() => processor.close());
  await check();
  expect(told.mock.calls.flat().join()).toMatch(/acct_\w+ cannot take cards: locationMissing/);
});

it('refunds after a restart what was paid before', async () => {
  const folder = newFolder();
  createProject(folder, usual);
  vi.stubEnv('INSTALLATION', 'test');
  vi.stubEnv('DATABASE', join(folder, 'shop.db'));
  onTestFinished(() => void vi.unstubAllEnvs());
  const { openShop } = await import(join(folder, 'src/shop.ts'));
  const { openProcessor } = await import(join(folder, 'src/processor.ts'));
  const login = { subject: 'user-ada', barberId: 'ada' };

  const { tap, ...terminal } = openProcessor();
  const before = await openShop({ ...terminal, isServing: false });
  const opening = { appointmentId: 'haircut', idempotencyKey: 'open' };
  const opened = await before.chairside.createContactlessPayment(login, opening);
  const { id: contactlessPaymentId, clientSecret } = opened._unsafeUnwrap();
  const captured = await before.chairside.captureContactlessPayment(login, {
    contactlessPaymentId,
    idempotencyKey: 'capture',
    body: { externalPaymentReference: tap(clientSecret) },
  });
  expect(captured.isOk()).toBe(true);
  await before.close();

  const after = await openShop({ ...openProcessor(), isServing: false });
  const owner = { subject: 'user-owner', businessIds: ['shop'] };
  const refunding = { contactlessPaymentId, idempotencyKey: 'refund', body: {} };
  const refunded = await after.chairside.refundPayment(owner, refunding);
  expect(refunded._unsafeUnwrap()).toMatchObject({ state: 'succeeded', amount: '45.00' });
  await after.close();
});

it('pays only its own server, and says so', async () => {
  const folder = newFolder();
  createProject(folder, usual);
  const other = createServer((_, response) => response.end('{"appointments":[]}')).listen(0);
  onTestFinished(() => void other.close());
  // cast: it listens on a port
  vi.stubEnv('PORT', `${(other.address() as { port: number }).port}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(import(join(folder, 'src/pay.ts'))).rejects.toThrow(
    /\/appointments is not this shop's list: set PORT to the shop's port\./,
  );
});
