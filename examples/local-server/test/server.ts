import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ContactlessPayment } from '@chairside/core';
import { contactlessPaymentSchema, problemSchema } from '@chairside/core/ports';
import * as v from 'valibot';
import { afterEach, expect } from 'vitest';

const main = join(import.meta.dirname, '../src/main.ts');
const folder = mkdtempSync(join(tmpdir(), 'chairside-local-'));
const running = new Set<ChildProcess>();
let files = 0;

afterEach(async () => {
  for (const child of running) {
    // Killed once; an ended process stays ended.
    running.delete(child);
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }
});

/** A path in a folder that is deleted when the test run ends. */
export function newPath(): string {
  files += 1;
  return join(folder, `${files}.db`);
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly url: string;
  /** The whole output at the start of listening. */
  readonly greeting: string;
  readonly signal: (signal: NodeJS.Signals) => void;
  readonly ended: Promise<Ended>;
}

type Environment = Readonly<Record<string, string>>;

/** Runs the server from its source, in a separate process, after a line of shell. */
function run(env: Environment, before = ':') {
  const args = ['-c', `${before}; exec "$0" --conditions=@chairside/source "$1"`];
  const child = spawn('sh', [...args, process.execPath, main], {
    // Inherits no variables, because the test runner sets a BASE_URL.
    env: { PORT: '0', CHAIRSIDE_DB: newPath(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const said = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.stderr += text;
  });
  const ended = new Promise<Ended>((resolve) => {
    // `close` comes after the whole output was read.
    child.on('close', (code, signal) => {
      running.delete(child);
      resolve({ code, signal, ...said });
    });
  });
  return { child, said, ended };
}

/** Runs a server that is expected to end by itself. */
export function runToEnd(env: Environment, before?: string): Promise<Ended> {
  return run(env, before).ended;
}

/** Starts the server and waits until it listens. */
export async function startServer(env: Environment = {}, before?: string): Promise<Running> {
  const { child, said, ended } = run(env, before);
  const greeting = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', () => {
      if (said.stdout.includes('Ctrl-C ends')) resolve(said.stdout);
    });
    void ended.then(({ stderr }) => reject(new Error(`the server ended: ${stderr}`)));
  });
  const url = /^Chairside listens on (\S+)$/m.exec(greeting)?.[1] ?? '';
  return { url, greeting, signal: (signal) => child.kill(signal), ended };
}

export const barber = 'demo-barber';

interface Request {
  readonly method?: string;
  readonly token?: string;
  readonly key?: string;
  readonly body?: unknown;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
}

export async function send(url: string, request: Request = {}): Promise<Answer> {
  const { token, key, body } = request;
  const { method = body === undefined ? 'GET' : 'POST' } = request;
  const response = await fetch(url, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(key !== undefined && { 'idempotency-key': key }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
}

/** Expects a response with this status and shape. */
export function read<S extends v.GenericSchema>(
  { status, text }: Answer,
  expected: number,
  schema: S,
): v.InferOutput<S> {
  expect(status, text).toBe(expected);
  return v.parse(schema, JSON.parse(text));
}

/** Expects a valid problem of this type. */
export function readProblem(answer: Answer, status: number, type: string) {
  const problem = read(answer, status, problemSchema);
  expect(problem.type).toMatch(new RegExp(`^https?://[^/]+/problems/${type}$`));
  return problem;
}

export const demoSchema = v.strictObject({
  tokens: v.strictObject({
    barber: v.string(),
    otherBarber: v.string(),
    barberWithoutEntitlement: v.string(),
    barberWithoutProcessor: v.string(),
    customer: v.string(),
    business: v.string(),
    otherBusiness: v.string(),
    administrator: v.string(),
  }),
  appointments: v.strictObject({
    open: v.pipe(v.array(v.string()), v.minLength(50)),
    paid: v.string(),
    ofOtherBarber: v.string(),
    withoutProcessor: v.string(),
  }),
  barbers: v.strictObject({
    barber: v.strictObject({ id: v.string(), schedules: v.array(v.string()) }),
    otherBarber: v.strictObject({ id: v.string(), schedules: v.array(v.string()) }),
  }),
  businesses: v.strictObject({
    business: v.strictObject({
      id: v.string(),
      financialAccounts: v.strictObject({ default: v.string(), others: v.array(v.string()) }),
    }),
    otherBusiness: v.strictObject({
      id: v.string(),
      financialAccounts: v.strictObject({ default: v.string(), others: v.array(v.string()) }),
    }),
  }),
  users: v.strictObject({
    withBoth: v.strictObject({ phoneNumber: v.string(), emailAddress: v.string() }),
  }),
});

const tapSchema = v.strictObject({
  status: v.picklist(['authorized', 'declined', 'canceled']),
  externalPaymentReference: v.strictObject({
    id: v.string(),
    paymentProcessor: v.literal('processor_a'),
  }),
});

export const entrySchema = v.strictObject({
  id: v.string(),
  status: v.string(),
  amount: v.string(),
  amountCaptured: v.string(),
});

export async function openAppointment(url: string, amountDue = '45.00'): Promise<string> {
  const made = await send(`${url}/demo/appointments`, { body: { amountDue } });
  return read(made, 201, v.object({ id: v.string() })).id;
}

export async function createPayment(
  url: string,
  appointmentId: string,
): Promise<ContactlessPayment> {
  const created = await send(`${url}/appointments/${appointmentId}/contactlessPayments`, {
    method: 'POST',
    token: barber,
    key: `create ${appointmentId}`,
  });
  return read(created, 201, contactlessPaymentSchema);
}

export async function tap(url: string, { clientSecret }: ContactlessPayment, card: string) {
  return read(await send(`${url}/demo/taps`, { body: { clientSecret, card } }), 200, tapSchema);
}

export function capture(url: string, paymentId: string, reference: string): Promise<Answer> {
  return send(`${url}/contactlessPayments/${paymentId}/captured`, {
    token: barber,
    key: `capture ${paymentId}`,
    body: { externalPaymentReference: { id: reference, paymentProcessor: 'processor_a' } },
  });
}
