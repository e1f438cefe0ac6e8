import type { ResultAsync } from '@chairside/core';
import {
  cardNetworks,
  fundingTypes,
  type Processor,
  type ProcessorDispute,
  type ProcessorError,
  type ProcessorEvent,
  type ProcessorPayment,
  type ProcessorRefund,
  type ReceiptDetails,
  tokenizationMethods,
} from '@chairside/core/ports';
import { expect } from 'vitest';

export type Watched = ReturnType<typeof watch>;

/** Records every response of a processor, to check it against the promises of the port. */
export function watch(processor: Processor) {
  const { charges, refunds, disputes, settlements } = processor;
  const secrets = new Set<string>();
  const errors: ProcessorError[] = [];
  const payments: ProcessorPayment[] = [];
  const receipts: ReceiptDetails[] = [];
  const returned: (ProcessorRefund | ProcessorDispute)[] = [];
  const events: ProcessorEvent[] = [];

  const noted = <T>(answer: ResultAsync<T, ProcessorError>) =>
    answer.orTee((error) => errors.push(error));
  function watched<T extends { readonly clientSecret: string } | undefined>(
    answer: ResultAsync<T, ProcessorError>,
  ): ResultAsync<T, ProcessorError> {
    return noted(answer).andTee((value) => value && secrets.add(value.clientSecret));
  }
  const paid = <T extends ProcessorPayment | undefined>(answer: ResultAsync<T, ProcessorError>) =>
    watched(answer).andTee((payment) => payment && payments.push(payment));

  const watching: Processor = {
    deadlineMs: processor.deadlineMs,
    openPayment: (request) => watched(processor.openPayment(request)),
    readPayment: (payment, claimed) => paid(processor.readPayment(payment, claimed)),
    capturePayment: (request) => paid(processor.capturePayment(request)),
    cancelPayment: (request) => paid(processor.cancelPayment(request)),
    createConnectionToken: (request) => watched(processor.createConnectionToken(request)),
    booksOf: (account) => processor.booksOf?.(account) ?? account,
    listPayments: (request) =>
      noted(processor.listPayments(request)).andTee(({ items }) => payments.push(...items)),
    readReceipt: (payment) =>
      noted(processor.readReceipt(payment)).andTee((receipt) => receipt && receipts.push(receipt)),
    openSetup: (request) => watched(processor.openSetup(request)),
    readSetup: (setup) => watched(processor.readSetup(setup)),
    cancelSetup: (request) => watched(processor.cancelSetup(request)),
    charges: charges && { authorize: (request) => paid(charges.authorize(request)) },
    refunds: {
      refund: (request) => noted(refunds.refund(request)).andTee((refund) => returned.push(refund)),
      list: (payment) => noted(refunds.list(payment)).andTee((listed) => returned.push(...listed)),
      listRecent: (request) => noted(refunds.listRecent(request)),
    },
    disputes: {
      list: (payment) => noted(disputes.list(payment)).andTee((listed) => returned.push(...listed)),
      listRecent: (request) => noted(disputes.listRecent(request)),
    },
    settlements: settlements && {
      listEntries: (request) => noted(settlements.listEntries(request)),
      listPayouts: (request) => noted(settlements.listPayouts(request)),
    },
    parseEvent: (event, now) =>
      noted(processor.parseEvent(event, now)).andTee((parsed) => events.push(parsed)),
  };

  return {
    processor: watching,
    /** Fails the test if a secret, or more of a card than `Card`, appeared in a wrong place. */
    check(): void {
      for (const error of errors) checkError(error, secrets);
      for (const payment of payments) checkPayment(payment);
      for (const receipt of receipts) checkReceipt(receipt);
      for (const one of returned) checkReturned(one);
      for (const event of events) checkEvent(event, secrets);
    },
  };
}

const errorMembers: Readonly<Record<ProcessorError['kind'], readonly string[]>> = {
  notSetUp: ['kind'],
  rateLimited: ['kind'],
  rejected: ['kind', 'reason'],
  unavailable: ['answered', 'kind', 'outcome'],
};
/** These may be absent, and are no text of the processor. */
const optional: readonly (string | symbol)[] = ['why', 'repeated'];
const whys: readonly unknown[] = [undefined, 'keyRejected', 'denied'];

/** An error has only the port's members. Any further member could reach a log. */
function checkError(error: ProcessorError, secrets: ReadonlySet<string>): void {
  const members = Reflect.ownKeys(error).filter((name) => !optional.includes(name));
  expect(members.sort(), 'members of an error').toEqual(errorMembers[error.kind]);
  expect(whys).toContain('why' in error ? error.why : undefined);
  if ('repeated' in error) expect(error).toEqual({ kind: 'notSetUp', repeated: true });
  checkSecrets('an error', error, secrets);
}

const toldMembers = [
  'account',
  'amountMinor',
  'id',
  'installation',
  'kind',
  'paymentId',
  'reference',
  'subject',
];

const eventMembers: Readonly<Record<ProcessorEvent['kind'], readonly string[]>> = {
  payment: ['account', 'id', 'installation', 'kind', 'paymentId'],
  refund: toldMembers,
  dispute: [...toldMembers, 'dispute'],
  fraudWarning: ['account', 'id', 'installation', 'kind', 'paymentId', 'reference'],
  ignored: ['id', 'kind'],
};

function isMember(kind: ProcessorEvent['kind'], name: string | symbol): boolean {
  return eventMembers[kind].some((member) => member === name);
}

function checkEvent(event: ProcessorEvent, secrets: ReadonlySet<string>): void {
  const others = Reflect.ownKeys(event).filter((name) => !isMember(event.kind, name));
  expect(others, 'members of an event').toEqual([]);
  checkSecrets('an event', event, secrets);
}

/** A text is absent, or says something. The processor's time decides the day (D200). */
function checkReturned(one: ProcessorRefund | ProcessorDispute): void {
  const time = 'madeAt' in one ? one.madeAt : one.openedAt;
  expect(time, 'the time of a refund or dispute').toSatisfy(Number.isSafeInteger);
  for (const name of ['refundId', 'failure', 'reason']) {
    const text: unknown = Reflect.get(one, name);
    if (text !== undefined) expect(text, name).toEqual(expect.stringMatching(/./));
  }
  expect(one.amountMinor).toBeTypeOf('bigint');
}

function checkSecrets(what: string, seen: object, secrets: ReadonlySet<string>): void {
  const text = Object.values(seen).join(' ');
  for (const secret of secrets) expect(text, what).not.toContain(secret);
}

const receiptMembers = {
  applicationIdentifier: expect.stringMatching(/^[0-9A-F]{10,32}$/),
  applicationPreferredName: expect.stringMatching(/^.{1,16}$/),
  accountType: expect.stringMatching(/^.{1,32}$/),
  authorizationCode: expect.stringMatching(/^[0-9A-Za-z]{1,8}$/),
  authorizationResponseCode: expect.stringMatching(/^[0-9A-Za-z]{2,4}$/),
  applicationCryptogramType: expect.stringMatching(/^[A-Z]{2,4}$/),
  applicationCryptogram: expect.stringMatching(/^[0-9A-F]{16}$/),
  terminalVerificationResults: expect.stringMatching(/^[0-9A-F]{10}$/),
  transactionStatusInformation: expect.stringMatching(/^[0-9A-F]{4}$/),
  cardholderVerification: expect.stringMatching(/^(none|signature|pin|device|other)$/),
};

function checkReceipt(receipt: ReceiptDetails): void {
  // Absent members are allowed; additional ones fail.
  expect({ ...receiptMembers, ...receipt }).toEqual(receiptMembers);
}

const cardMembers = {
  maskedPersonalAccountNumber: expect.stringMatching(/^\*\d{4}$/),
  network: expect.toSatisfy((name) => cardNetworks.includes(name)),
  fundingType: expect.toSatisfy((name) => fundingTypes.includes(name)),
  expirationMonth: expect.stringMatching(/^(0[1-9]|1[0-2])$/),
  expirationYear: expect.stringMatching(/^\d{4}$/),
};
const tokenizationMethod = expect.toSatisfy((name) => tokenizationMethods.includes(name));

function checkPayment(payment: ProcessorPayment) {
  const { card, status, refusal, amountMinor, authorizedMinor, capturedMinor } = payment;
  if (refusal !== undefined) expect(status, 'a refusal').toBe('failed');
  if (status === 'captured') {
    expect(payment.capturedAt, 'the time of a capture').toSatisfy(Number.isSafeInteger);
  }
  if (capturedMinor !== undefined && authorizedMinor !== undefined) {
    expect(capturedMinor, 'captured of approved').toBeLessThanOrEqual(authorizedMinor);
  }
  for (const amount of [amountMinor, authorizedMinor ?? 0n, capturedMinor ?? 0n]) {
    expect(amount).toBeTypeOf('bigint');
  }
  if (card === undefined) return;
  // The comparison is exact: additional members of the card fail.
  const isTokenized = card.tokenizationMethod !== undefined;
  expect(card).toStrictEqual({ ...cardMembers, ...(isTokenized && { tokenizationMethod }) });
}
