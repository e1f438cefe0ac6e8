import { type Result, ResultAsync, secondMs } from '@chairside/core';
import type {
  ConnectionTokenRequest,
  Processor,
  ProcessorError,
  ReceiptDetails,
} from '@chairside/core/ports';
import * as v from 'valibot';
import { beginCall, type Call, type Fetch } from './connection.ts';
import { listDisputes, listRecentDisputes } from './disputes.ts';
import { parseEvent } from './events.ts';
import { findOrder, merchantPath } from './orders.ts';
import { cancelPayment, capturePayment, openPayment, readPayment } from './payments.ts';
import { listPayments, listRecentRefunds, listRefunds, refundPayment } from './refunds.ts';
import { cancelSetup, openSetup, readSetup } from './setups.ts';
import { type Order, text } from './shapes.ts';

export interface TallyOptions {
  /** Without a slash at its end. */
  readonly url: string;
  readonly apiKey: string;
  /** Signs Tally's messages. */
  readonly webhookSecret: string;
  readonly fetch?: Fetch;
  /** Default: 10 seconds. */
  readonly deadlineMs?: number;
}

/** Card payments by Tally, an invented processor. */
export function createTallyProcessor(options: TallyOptions): Processor {
  const { fetch = globalThis.fetch, deadlineMs = 10 * secondMs, webhookSecret } = options;
  if (!/^(?!undefined$|null$)\S{8,255}$/.test(webhookSecret)) {
    throw new TypeError('webhookSecret: must have 8 to 255 characters, and be set');
  }
  const connection = { fetch, url: options.url, apiKey: options.apiKey, deadlineMs };

  /** Each call of the port has a deadline for all of its requests. */
  const within =
    <Given extends unknown[], T>(
      act: (call: Call, ...given: Given) => Promise<Result<T, ProcessorError>>,
    ) =>
    (...given: Given) =>
      new ResultAsync(act(beginCall(connection), ...given));

  return {
    deadlineMs,
    openPayment: within(openPayment),
    readPayment: within(readPayment),
    capturePayment: within(capturePayment),
    cancelPayment: within(cancelPayment),
    createConnectionToken: within(createConnectionToken),
    listPayments: within(listPayments),
    readReceipt: within(async (call, payment: Parameters<Processor['readReceipt']>[0]) =>
      (await findOrder(call, payment)).map((reply) => toReceipt(reply?.value)),
    ),
    openSetup: within(openSetup),
    readSetup: within(readSetup),
    cancelSetup: within(cancelSetup),
    refunds: {
      refund: within(refundPayment),
      list: within(listRefunds),
      listRecent: within(listRecentRefunds),
    },
    disputes: {
      list: within(listDisputes),
      listRecent: within(listRecentDisputes),
    },
    parseEvent: (event, now) =>
      new ResultAsync(Promise.resolve(parseEvent(event, webhookSecret, now))),
  };
}

const tokenShape = v.object({ token: text });

async function createConnectionToken(
  call: Call,
  { account, terminalLocation: site }: ConnectionTokenRequest,
): Promise<Result<{ readonly clientSecret: string }, ProcessorError>> {
  const path = `${merchantPath(account)}/terminal-tokens`;
  const body = site === undefined ? {} : { site };
  const asked = await call.ask({ method: 'POST', path, body }, tokenShape);
  return asked.map(({ value }) => ({ clientSecret: value.token }));
}

const methods: Readonly<Record<string, ReceiptDetails['cardholderVerification']>> = {
  none: 'none',
  pin: 'pin',
  device: 'device',
  signature: 'signature',
};

function toReceipt(order: Order | undefined): ReceiptDetails | undefined {
  const receipt = order?.sale?.receipt;
  if (!receipt) return undefined;
  return {
    applicationIdentifier: receipt.aid,
    applicationPreferredName: receipt.label,
    authorizationCode: receipt.auth_code,
    cardholderVerification: methods[receipt.method] ?? 'other',
  };
}
