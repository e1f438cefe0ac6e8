import { hourMs, type ProcessorAccount, type ResultAsync, secondMs } from '@chairside/core';
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
  type ProcessorPayment,
  typeId,
} from '@chairside/core/ports';
import { expect, type TestContext } from 'vitest';
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

export type Case = (
  name: string,
  run: (test: TestContext) => void | Promise<void>,
  timeoutMs?: number,
) => void;

/** Shared by the parts of the contract. Harness and processor belong to the current test. */
export interface Suite {
  harness(): ProcessorHarness;
  processor(): Processor;
  /** The account of the test's payments. */
  account(): ProcessorAccount;
  /** Skips the test if the capability is left out. */
  needs(test: TestContext, capability: ProcessorCapability): void;
  /** `it` of Vitest, for cases that need all of these. */
  itNeeds(...capabilities: readonly ProcessorCapability[]): Case;
  /** A member of the harness. One that lacks it must give the reason, or the test fails. */
  able<Name extends ProcessorCapability & keyof ProcessorHarness>(
    name: Name,
  ): NonNullable<ProcessorHarness[Name]>;
  /** A payment that was begun here and is not yet at the processor. */
  begun(): OpenPaymentRequest;
  open(request?: OpenPaymentRequest): Promise<Opened>;
  authorize(request?: OpenPaymentRequest): Promise<Opened & { readonly reference: string }>;
  /** Captures. If captures end later, it ends this one, and asks again under the same key. */
  capture(
    payment: PaymentHandle,
    more?: Partial<CapturePaymentRequest>,
  ): ResultAsync<ProcessorPayment, ProcessorError>;
  /** Sends one capture. If captures end later, it is only accepted. */
  sendCapture(
    payment: PaymentHandle,
    more?: Partial<CapturePaymentRequest>,
  ): ResultAsync<ProcessorPayment, ProcessorError>;
  /** Ends a capture that is in flight, if captures end later. */
  endCapture(payment: PaymentHandle, end?: 'captured' | 'failed'): Promise<void>;
  cancel(
    payment: PaymentHandle,
    more?: Partial<CancelPaymentRequest>,
  ): ResultAsync<ProcessorPayment | undefined, ProcessorError>;
  /** The entry, which must exist. */
  read(payment: PaymentHandle, claimed?: string): Promise<ProcessorPayment>;
  loseReply(call: LosableCall): Promise<void>;
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
