import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@chairside/client';
import { systemClock } from '@chairside/core';
import { startEmbeddedServer } from '@chairside/embedded-postgres';
import { createStripeStandIn, type StripeStandIn } from '@chairside/stripe-stand-in';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { fresh, newFolder, run, tarball } from './project.ts';
import { startHost, until } from './start.ts';

const minutesMs = 60_000;
const secretKey = 'sk_test_standIn';

interface Combination {
  readonly host: string;
  readonly store: string;
  readonly processor: string;
}

const all = ['express', 'fastify', 'hono', 'h3', 'nest', 'next'].flatMap((host) =>
  ['sqlite', 'postgres'].flatMap((store) =>
    ['fake', 'stripe'].map((processor): Combination => ({ host, store, processor })),
  ),
);
/** Every choice of store and processor, on two hosts. */
const express = { host: 'express', store: 'sqlite', processor: 'fake' };
const sample = [express, { host: 'fastify', store: 'postgres', processor: 'stripe' }];
const combinations = process.env['CHAIRSIDE_HOSTS'] === undefined ? all : sample;

const folder = newFolder();
const program = join(folder, 'node_modules/.bin/create-chairside');
beforeAll(async () => {
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  await npm(folder, ['install', tarball(inject('tarballs'), 'create-chairside')]);
}, 2 * minutesMs);
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

const npm = (cwd: string, args: readonly string[], env: Env = {}) =>
  run('npm', [...args, '--prefer-offline', '--no-audit', '--no-fund'], cwd, { ...fresh(), ...env });
type Env = Readonly<Record<string, string | undefined>>;

test('the program asks for missing choices', async () => {
  const answers = ['my-shop', '5', 'postgres', ''].join('\\n');
  const asked = await run('bash', ['-c', `printf '${answers}\\n' | ${program}`], folder, fresh());
  expect(asked).toContain('5 nest: NestJS');
  expect(asked).toContain('cd my-shop');
  const manifest = readFileSync(join(folder, 'my-shop/package.json'), 'utf8');
  expect(Object.keys(JSON.parse(manifest).dependencies)).toEqual(
    expect.arrayContaining(['@nestjs/core', '@chairside/postgres', '@chairside/fake-processor']),
  );
  const again = await run(program, ['my-shop', ...flags(express)], folder, fresh()).catch(String);
  expect(again).toContain('my-shop is not empty.');
  const unknown = await run(program, ['other', '--host', 'koa'], folder, fresh()).catch(String);
  expect(unknown).toContain('There is no host koa');
});

test(
  'one command in a clone makes a project, runs its tests and says what comes next',
  async () => {
    const root = join(import.meta.dirname, '../../..');
    const line = ['--conditions=@chairside/source', 'scripts/new.ts'];
    const made = (args: readonly string[]) =>
      run(process.execPath, [...line, ...args], root, {
        ...fresh(),
        CHAIRSIDE_TARBALLS: inject('tarballs'),
        INIT_CWD: folder,
      });
    const told = await made(['by-command']);
    expect(told).toMatch(/Running its tests … \d+ s/);
    expect(told).toContain('cd by-command\n  npm start\n  npm run pay');
    expect(told.split('\n').length).toBeLessThan(20);
    await npm(join(folder, 'by-command'), ['run', 'typecheck']);
    await expect(made(['by-command'])).rejects.toThrow('by-command is not empty.');
    await expect(made(['other', '--host', 'koa'])).rejects.toThrow('There is no host koa');
  },
  5 * minutesMs,
);

const flags = (combination: Combination) =>
  Object.entries(combination).flatMap(([name, value]) => [`--${name}`, value]);

test.each(combinations)(
  '$host, $store, $processor: generated, installed, type-checked, tested and run',
  async (combination) => {
    const { host, store, processor } = combination;
    const name = `${host}-${store}-${processor}`;
    await run(program, [name, ...flags(combination)], folder, fresh());
    const project = join(folder, name);
    useTarballs(join(project, 'package.json'));
    await npm(project, ['install']);
    const database = store === 'postgres' ? orThrow(await startEmbeddedServer()) : undefined;
    const stripe = processor === 'stripe' ? await startStripe() : undefined;
    const env = {
      ...(database && { DATABASE_URL: database.connectionString }),
      ...stripe?.env,
    };
    try {
      await npm(project, ['run', 'typecheck']);
      expect(await npm(project, ['test'], env)).toContain('pass 2');
      if (processor === 'fake') {
        const operator = join(project, 'node_modules/.bin/chairside');
        const told = await run(operator, ['doctor'], project, { ...fresh(), ...env });
        expect(told).toMatch(/^ok +Store/m);
      }
      if (['nest', 'next'].includes(host)) await npm(project, ['run', 'build'], env);
      if (stripe !== undefined && host !== 'next') {
        const incomplete = npm(project, ['start'], { ...env, STRIPE_ACCOUNT: '' });
        await expect(incomplete).rejects.toThrow('Set STRIPE_ACCOUNT in .env');
      }
      await pays(project, env, stripe?.standIn);
    } finally {
      await stripe?.close();
      await database?.remove();
    }
  },
  9 * minutesMs,
);

interface Success<T> {
  readonly value: T;
}

function orThrow<T>(result: Success<T> | { readonly error: unknown }): T {
  if ('value' in result) return result.value;
  throw new Error(JSON.stringify(result.error));
}

/** The packages of this commit, which are on no registry. */
function useTarballs(path: string): void {
  const manifest = JSON.parse(readFileSync(path, 'utf8'));
  for (const kind of ['dependencies', 'devDependencies']) {
    for (const name of Object.keys(manifest[kind])) {
      const [, ours] = /^@chairside\/(.*)$/.exec(name) ?? [];
      if (ours === undefined) continue;
      expect(manifest[kind][name]).toMatch(/^\^\d/);
      manifest[kind][name] = `file:${tarball(inject('tarballs'), ours)}`;
    }
  }
  writeFileSync(path, JSON.stringify(manifest));
}

async function startStripe() {
  const standIn = createStripeStandIn({
    clock: systemClock,
    secretKey,
    webhookSecret: 'whsec_hosts_0123456789',
  });
  const { host, port, close } = await standIn.listen();
  const account = standIn.addAccount();
  const env = {
    STRIPE_API_BASE: `http://${host}:${port}`,
    STRIPE_SECRET_KEY: secretKey,
    STRIPE_ACCOUNT: account.id,
    STRIPE_CURRENCY: account.currency,
  };
  return { standIn, env, close };
}

/** Starts the server and takes a payment over HTTP. It then appears in the shop's own table. */
async function pays(project: string, env: Env, standIn: StripeStandIn | undefined): Promise<void> {
  const { scripts } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
  // npm would not pass the signal on that stops the server.
  const start = ['bash', '-c', scripts.start.replace('&& ', '&& exec ')];
  const host = await startHost({ folder: '.', start, ready: '/appointments' }, project, {
    ...env,
    TRUSTED_PROXIES: '1', // Next.js itself, as nobody else writes the header here
  });
  try {
    if (standIn === undefined) {
      const port = new URL(host.url).port;
      const pay = () => npm(project, ['run', 'pay'], { PORT: port });
      expect(await pay()).toContain('captured, 45.00');
      expect(await pay(), 'at once').toContain('captured, 28.00');
      expect(await pay(), 'before the table has the last one').toContain('captured, 19.00');
    } else {
      await tapAtStripe(host.url, standIn);
    }
    const guessed: number[] = [];
    for (let tries = 0; tries <= 30; tries += 1) {
      const headers = { authorization: 'Bearer guess' };
      guessed.push((await fetch(`${host.url}/payments/terminals`, { headers })).status);
    }
    expect(guessed, 'failed logins').toEqual([...Array(30).fill(401), 429]);
    await until(async () => {
      const appointments = await (await fetch(`${host.url}/appointments`)).json();
      return JSON.stringify(appointments).includes('"paid":4500');
    }, 'the payment in the table of the shop');
  } finally {
    host.stop();
    await host.exited;
  }
}

async function tapAtStripe(url: string, standIn: StripeStandIn): Promise<void> {
  const baseUrl = `${url}/payments`;
  const app = createClient({ baseUrl, accessToken: () => 'session-of-ada' });
  const opening = { appointmentId: 'haircut', idempotencyKey: 'open' };
  const opened = orThrow(await app.createContactlessPayment(opening));
  const id = standIn.present(opened.clientSecret, 'visa_credit');
  const captured = await app.captureContactlessPayment({
    contactlessPaymentId: opened.id,
    idempotencyKey: 'capture',
    body: { externalPaymentReference: { id, paymentProcessor: 'processor_a' } },
  });
  expect(orThrow(captured)).toMatchObject({ state: 'captured', amount: '45.00' });
}
