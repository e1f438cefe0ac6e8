import { hourMs, type ProcessorAccount, ResultAsync, secondMs } from '@chairside/core';
import {
  type CancelPaymentRequest,
  type CapturePaymentRequest,
  type ListedPage,
  type ListedPayment,
  type ListedReturn,
  type ListRequest,
  type OpenPaymentRequest,
  type OpenSetupRequest,
  type PaymentHandle,
  type Processor,
  type ProcessorDisputes,
  type ProcessorError,
  type ProcessorEvent,
  type RefundPaymentRequest,
  typeId,
} from '@chairside/core/ports';
import { expect, it } from 'vitest';
import type { LosableCall, ProcessorCapability, ProcessorHarness } from './harness.ts';

/** Above every processor's minimum. Read as a number, 32.37 times 100 is less than 3237. */
export const amountMinor = 3237n;

export const rejected = { kind: 'rejected', reason: expect.any(String) };
export const unknown = {
  kind: 'unavailable',
  outcome: 'unknown',
  answered: expect.any(Boolean),
};

/** No reply has arrived, or the processor has not ended what it accepted. */
export const unanswered = { kind: 'unavailable', outcome: 'unknown', answered: false } as const;

export interface Opened extends PaymentHandle {
  readonly clientSecret: string;
}

/** A payment with a card, as the processor may be asked about it. */
export type Authorized = PaymentHandle & { readonly reference: string };

export type Case = ReturnType<Suite['itNeeds']>;

/** What belongs to the test that runs. */
export interface Subject {
  readonly harness: ProcessorHarness;
  readonly processor: Processor;
  /** The account of the test's payments. */
  readonly account: ProcessorAccount;
  readonly installation: string;
  readonly skip: (note: string) => void;
}

export type Without = Partial<Readonly<Record<ProcessorCapability, string>>>;

export type Suite = ReturnType<typeof createSuite>;

/** Shared by the parts of the contract. */
export function createSuite(subject: () => Subject, without: Without) {
  const harness = () => subject().harness;
  const processor = () => subject().processor;
  const account = () => subject().account;
  const key = () => newId(harness());

  /** Skips the test if one of the capabilities is left out. */
  function needs(...capabilities: readonly ProcessorCapability[]): void {
    for (const capability of capabilities) {
      const reason = without[capability];
      if (reason !== undefined) subject().skip(`without ${capability}: ${reason}`);
    }
  }

  /** `it` of Vitest, for cases that need all of these. */
  const itNeeds =
    (...capabilities: readonly ProcessorCapability[]) =>
    (name: string, run: () => void | Promise<void>, timeoutMs?: number): void => {
      const runIfAble = async () => {
        needs(...capabilities);
        await run();
      };
      it(name, runIfAble, timeoutMs);
    };

  /** A member of the harness, which the test needs. One that lacks it must give the reason. */
  const able = <Name extends ProcessorCapability & keyof ProcessorHarness>(name: Name) => {
    needs(name);
    return need(name, harness()[name]);
  };

  /** A payment that was begun here and is not yet at the processor. */
  const begun = (more: Partial<OpenPaymentRequest> = {}): OpenPaymentRequest => ({
    account: account().id,
    paymentId: key(),
    installation: subject().installation,
    begunAt: harness().clock.now(),
    amountMinor,
    currency: account().currency,
    idempotencyKey: key(),
    ...more,
  });

  async function open(request = begun()): Promise<Opened> {
    const opened = await value(processor().openPayment(request));
    const { amountMinor: _amount, currency: _currency, idempotencyKey: _key, ...handle } = request;
    return { ...handle, ...opened };
  }

  async function authorize(request?: OpenPaymentRequest): Promise<Opened & Authorized> {
    const opened = await open(request);
    return { ...opened, reference: await harness().present(opened.clientSecret, 'approve') };
  }

  async function captured(request?: OpenPaymentRequest): Promise<Authorized> {
    const { clientSecret: _secret, ...payment } = await authorize(request);
    await value(capture(payment));
    return payment;
  }

  /** Sends one capture. If captures end later, it is only accepted. */
  const sendCapture = (payment: PaymentHandle, more: Partial<CapturePaymentRequest> = {}) => {
    const whole = { ...payment, amountMinor, currency: account().currency };
    return processor().capturePayment({ ...whole, idempotencyKey: key(), ...more });
  };

  /** Captures. If captures end later, it ends this one, and asks again under the same key. */
  const capture = (payment: PaymentHandle, more: Partial<CapturePaymentRequest> = {}) =>
    new ResultAsync(captureToEnd(payment, { idempotencyKey: key(), ...more }));

  async function captureToEnd(payment: PaymentHandle, more: Partial<CapturePaymentRequest>) {
    const sent = await sendCapture(payment, more);
    if (sent.isOk() || harness().endCapture === undefined || !isUnanswered(sent.error)) return sent;
    await endCapture(payment);
    return sendCapture(payment, more);
  }

  /** Ends a capture that is in flight, if captures end later. */
  async function endCapture({ reference }: PaymentHandle, end: 'captured' | 'failed' = 'captured') {
    if (reference !== undefined) await harness().endCapture?.(reference, end);
  }

  const cancel = (payment: PaymentHandle, more: Partial<CancelPaymentRequest> = {}) =>
    processor().cancelPayment({ ...payment, idempotencyKey: key(), ...more });

  /** The entry, which must exist. */
  const read = (payment: PaymentHandle, claimed?: string) =>
    present(value(processor().readPayment(payment, claimed)));

  /** A refund of a part. */
  const refundOf = (
    payment: PaymentHandle,
    more: Partial<RefundPaymentRequest> = {},
  ): RefundPaymentRequest => ({
    ...payment,
    refundId: key(),
    amountMinor: 1003n,
    currency: account().currency,
    returnsFee: false,
    reversesTransfer: true,
    idempotencyKey: key(),
    ...more,
  });

  /** What a list is asked. Some hours around now, because a real processor follows its own clock. */
  const recent = (more: Partial<ListRequest> = {}): ListRequest => {
    const { account, installation, begunAt } = begun();
    const [openedFrom, openedBefore] = [begunAt - hourMs, begunAt + hourMs];
    const books = booksOf(processor(), account);
    return { books, installation, openedFrom, openedBefore, limit: 2, ...more };
  };

  /** What the processor's messages since the last call say; nothing if the test cannot read them. */
  async function told(): Promise<readonly ProcessorEvent[]> {
    const parsed: ProcessorEvent[] = [];
    for (const event of (await harness().events?.()) ?? []) {
      parsed.push(await value(processor().parseEvent(event, harness().clock.now())));
    }
    return parsed;
  }

  return {
    harness,
    processor,
    account,
    key,
    skip: (note: string) => subject().skip(note),
    needs,
    itNeeds,
    able,
    begun,
    open,
    authorize,
    captured,
    sendCapture,
    capture,
    endCapture,
    cancel,
    read,
    refundOf,
    recent,
    told,
    loseReply: (call: LosableCall) => able('loseReply')(call),
  };
}

/** A harness that lacks an ability must give the reason, or the test fails. */
export function need<T>(capability: ProcessorCapability, given: T): NonNullable<T> {
  if (given === undefined || given === null) {
    throw new Error(`the harness has no ${capability}, and gives no reason`);
  }
  return given;
}

export function newId(harness: ProcessorHarness): string {
  return typeId('cpm', harness.clock.now(), crypto.getRandomValues(new Uint8Array(10)));
}

/** A setup that was begun here and is not yet at the processor. */
export function beginSetup(
  harness: ProcessorHarness,
  more: Partial<OpenSetupRequest> = {},
): OpenSetupRequest {
  return {
    setupId: newId(harness),
    installation: 'contract',
    customerId: newId(harness),
    savePaymentMethod: true,
    begunAt: harness.clock.now(),
    idempotencyKey: newId(harness),
    ...more,
  };
}

export async function value<T>(answer: ResultAsync<T, ProcessorError>): Promise<T> {
  const result = await answer;
  if (result.isErr()) throw new Error(`refused: ${JSON.stringify(result.error)}`);
  return result.value;
}

export async function problem<T>(answer: ResultAsync<T, ProcessorError>): Promise<ProcessorError> {
  const result = await answer;
  // The response holds secrets, so it must not appear in a test's output.
  if (result.isOk()) throw new Error('the call succeeded and should have been rejected');
  return result.error;
}

/** Whether the error says that the call was not applied. The test checks this. */
export function saysNothingWasDone(error: ProcessorError): boolean {
  return error.kind !== 'unavailable' || error.outcome === 'notApplied';
}

/** The handle before the processor's id is known. */
export function unreferenced<Handle extends PaymentHandle>({
  reference: _reference,
  ...handle
}: Handle): Omit<Handle, 'reference'> {
  return handle;
}

/** Whether the call may still be applied, and its key stays usable. */
export function isUnanswered(error: ProcessorError): boolean {
  return error.kind === 'unavailable' && error.outcome === 'unknown' && !error.answered;
}

/** A payment whose entry the processor must have. */
export async function present<T>(entry: Promise<T | undefined>): Promise<T> {
  const found = await entry;
  if (found === undefined) throw new Error('the processor has no such entry');
  return found;
}

/** What a message about this payment says. */
export const messageOf = ({ paymentId, installation, account }: PaymentHandle) => {
  return { id: expect.any(String), kind: 'payment', paymentId, installation, account };
};

/** The books that list an account's payments. */
export function booksOf(processor: Processor, account: string): string {
  return processor.booksOf?.(account) ?? account;
}

/** The payment's items in the list of its books; empty if the processor lists none. */
export async function listedIn(
  { processor }: Suite,
  { account, installation, paymentId, begunAt }: PaymentHandle,
): Promise<readonly ListedPayment[]> {
  const request = { books: booksOf(processor(), account), installation, limit: 10 };
  const span = { openedFrom: begunAt - hourMs, openedBefore: begunAt + hourMs };
  const page = await processor().listPayments({ ...request, ...span });
  const items = page.isOk() ? page.value.items : [];
  return items.filter((item) => item.paymentId === paymentId);
}

/** The response without its time, which differs each time. */
export function timeless<T extends { readonly at?: number }>(
  answer: T | undefined,
): Omit<T, 'at'> | undefined {
  if (answer === undefined) return undefined;
  const { at: _at, ...rest } = answer;
  return rest;
}

export const itemsOf = <T>(pages: readonly ListedPage<T>[]): readonly T[] =>
  pages.flatMap(({ items }) => items);

/**
 * All pages, one after the other.
 * @param between runs after each page that has a next one.
 */
export async function pagesOf<Page extends ListedPage<unknown>>(
  list: (request: ListRequest) => ResultAsync<Page, ProcessorError>,
  request: ListRequest,
  between: (pages: number) => Promise<unknown> = async () => undefined,
): Promise<readonly Page[]> {
  const pages: Page[] = [];
  let cursor: string | undefined;
  while (pages.length < 100) {
    const page = await value(list(cursor === undefined ? request : { ...request, cursor }));
    expect(page.items.length).toBeLessThanOrEqual(request.limit);
    pages.push(page);
    if (page.cursor === undefined) return pages;
    await between(pages.length);
    cursor = page.cursor;
  }
  throw new Error('the listing has no end');
}

/** All pages of the books' refunds or disputes, of which another instance may read each. */
export async function listedReturns(
  lists: Pick<ProcessorDisputes, 'listRecent'>,
  request: ListRequest,
): Promise<readonly ListedReturn[]> {
  const listed = itemsOf(await pagesOf((asked) => lists.listRecent(asked), request));
  for (const { openedAt } of listed) {
    // Some processors count whole seconds.
    expect(openedAt).toBeGreaterThan(request.openedFrom - secondMs);
    expect(openedAt).toBeLessThan(request.openedBefore + secondMs);
  }
  return listed;
}
