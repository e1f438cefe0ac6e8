import { type AddressInfo, createServer, type Socket } from 'node:net';
import { hourMs, type Result } from '@chairside/core';
import type { ListRequest, PaymentHandle, ProcessorError } from '@chairside/core/ports';
import { createStripeProcessor, type StripeOptions, type StripeProcessor } from '@chairside/stripe';
import {
  createStripeStandIn,
  type StandInAccount,
  type StandInServer,
  type StandInSwitches,
  type StripeCardName,
  type StripeStandIn,
  signPayload,
} from '@chairside/stripe-stand-in';
import { createManualClock, type ManualClock } from '@chairside/testkit';
import { onTestFinished } from 'vitest';

/** Joined here, so that this file contains no secret. */
export const secretKey = ['sk', 'test', 'chairside'].join('_');
export const webhookSecret = ['whsec', 'chairside_0123456789abcdef'].join('_');

export interface SetUp {
  readonly clock: ManualClock;
  readonly standIn: StripeStandIn;
  readonly stripe: StripeProcessor;
  /** Another adapter on the same stand-in. */
  readonly another: (more?: Partial<StripeOptions>) => StripeProcessor;
  readonly account: StandInAccount;
  /** A payment of that account, not yet opened. */
  readonly handle: PaymentHandle;
  /** The parameters of its opening and its capture. */
  readonly charge: PaymentHandle & {
    readonly amountMinor: bigint;
    readonly currency: string;
    readonly idempotencyKey: string;
  };
}

/** The adapter on the stand-in, without a socket. */
export function setUp(
  options: Partial<StripeOptions> = {},
  switches: Partial<StandInSwitches> = {},
): SetUp {
  const clock = createManualClock();
  const standIn = createStripeStandIn({
    clock,
    webhookSecret,
    switches,
    secretKey: options.secretKey ?? secretKey,
  });
  const another = (more: Partial<StripeOptions> = {}) =>
    value(
      createStripeProcessor({
        secretKey,
        clock,
        webhookSecrets: [webhookSecret],
        httpClient: standIn.httpClient,
        ...options,
        ...more,
      }),
    );
  const stripe = another();
  const account = standIn.addAccount();
  const handle: PaymentHandle = {
    account: account.id,
    paymentId: 'cpm_1',
    installation: 'shop',
    begunAt: clock.now(),
  };
  const charge = { ...handle, amountMinor: 4537n, currency: 'usd', idempotencyKey: 'open_1' };
  return { clock, standIn, stripe, another, account, handle, charge };
}

/** The same over HTTP, with the SDK's own `host`, `port` and `protocol`. Closed with its test. */
export async function setUpOverHttp(
  options: Partial<StripeOptions> = {},
): Promise<SetUp & { readonly server: StandInServer }> {
  const inProcess = setUp();
  const server = await inProcess.standIn.listen();
  const { clock } = inProcess;
  const { host, port, protocol } = server;
  const opened: StripeProcessor[] = [];
  const another = (more: Partial<StripeOptions> = {}) => {
    const api = { host, port, protocol } as const;
    const given = { secretKey, clock, webhookSecrets: [webhookSecret], api, ...options, ...more };
    const stripe = value(createStripeProcessor(given));
    opened.push(stripe);
    return stripe;
  };
  const stripe = another();
  onTestFinished(async () => {
    for (const one of opened) one.close();
    await server.close();
  });
  return { ...inProcess, stripe, another, server };
}

/** The adapter with a server that accepts connections and never replies, and a short deadline. Closed with its test. */
export async function setUpSilent(): Promise<StripeProcessor> {
  const server = createServer();
  const sockets: Socket[] = [];
  server.on('connection', (socket) => sockets.push(socket));
  const host = '127.0.0.1';
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  // cast: a server that listens on a port has an address of this kind
  const { port } = server.address() as AddressInfo;
  const api = { host, port, protocol: 'http' } as const;
  const stripe = value(createStripeProcessor({ secretKey, deadlineMs: 250, api }));
  onTestFinished(async () => {
    stripe.close();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return stripe;
}

/** Opens the payment of a set-up and presents a card to the reader. */
export async function authorize(
  { stripe, standIn, charge }: SetUp,
  card: StripeCardName = 'visa_credit',
) {
  const opened = value(await stripe.openPayment(charge));
  const reference = standIn.present(opened.clientSecret, card);
  return { ...charge, idempotencyKey: 'capture_1', reference, clientSecret: opened.clientSecret };
}

/** A set-up whose payment was presented with a card, and captured. */
export async function givenCaptured(options: Partial<StripeOptions> = {}) {
  const { set, payment } = await givenAuthorized('visa_credit', options);
  value(await set.stripe.capturePayment(payment));
  return { set, payment };
}

/** A set-up whose payment was presented with this card. */
export async function givenAuthorized(card?: StripeCardName, options: Partial<StripeOptions> = {}) {
  const set = setUp(options);
  return { set, payment: await authorize(set, card) };
}

/** From the opening of the set-up's payment on, with an hour before and after. */
export function spanOf({ account, clock, handle }: SetUp, more: Partial<ListRequest> = {}) {
  const { installation, begunAt } = handle;
  const [openedFrom, openedBefore] = [begunAt - hourMs, clock.now() + hourMs];
  return { books: account.id, installation, openedFrom, openedBefore, limit: 100, ...more };
}

/** Our marks in Stripe's metadata. */
export const marksOf = (account: string) => ({
  chairside_payment: 'cpm_1',
  chairside_installation: 'shop',
  chairside_account: account,
});

/** What a message means, sent and signed as it is, or as JSON. */
export function tell({ stripe, clock }: SetUp, message: string | object) {
  const payload = typeof message === 'string' ? message : JSON.stringify(message);
  return stripe.parseEvent(signPayload(payload, webhookSecret, clock.now()), clock.now());
}

/** The stand-in's client, whose replies are changed. */
export function replying(
  { standIn: { httpClient } }: SetUp,
  change: (reply: Reply, method: string) => Partial<Reply>,
): typeof httpClient {
  return {
    getClientName: () => httpClient.getClientName(),
    async makeRequest(...wire) {
      const reply = await httpClient.makeRequest(...wire);
      return { ...reply, ...change(reply, wire[3]) };
    },
  };
}
type Reply = Awaited<ReturnType<StripeStandIn['httpClient']['makeRequest']>>;

export function value<T, E>(result: Result<T, E>): T {
  if (result.isErr()) throw new Error(`refused: ${JSON.stringify(result.error)}`);
  return result.value;
}

export function problem<T>(result: Result<T, ProcessorError>): ProcessorError {
  if (result.isOk()) throw new Error('accepted, where it should have been refused');
  return result.error;
}

export const unknown = { kind: 'unavailable', outcome: 'unknown', answered: false };
export const answered = { ...unknown, answered: true };
export const notApplied = { ...unknown, outcome: 'notApplied' };
export const rejected = (reason: string) => ({ kind: 'rejected', reason });
