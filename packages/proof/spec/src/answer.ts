import {
  type BusinessPayoutPreferences,
  type ChallengeMethods,
  type ContactlessPayment,
  type ContactlessPayments,
  type PaymentMethodSetup,
  type ProblemType,
  problemTypes,
  type Receipt,
  type RefundsView,
  type RefundView,
  type TerminalConnectionToken,
  type Terminals,
  type TerminalView,
} from '@chairside/core';
import {
  businessPayoutPreferencesSchema,
  challengeMethodsSchema,
  contactlessPaymentSchema,
  contactlessPaymentsSchema,
  findReason,
  paymentMethodSetupSchema,
  problemSchema,
  receiptSchema,
  refundSchema,
  refundsSchema,
  terminalConnectionTokenSchema,
  terminalSchema,
  terminalsSchema,
} from '@chairside/core/ports';
import * as v from 'valibot';
import { expect } from 'vitest';

/** A response from either transport. */
export interface Answer {
  readonly status: number;
  /** The body as it was sent; in process, as it would be. */
  readonly text: string;
  readonly replayed: boolean;
  readonly retryAfter: number | undefined;
}

/** The body of a problem, with the bare name as its type. */
export type ProblemBody = v.InferOutput<typeof problemSchema>;

function parsed<S extends v.GenericSchema>(
  { status, text }: Answer,
  success: number,
  schema: S,
): v.InferOutput<S> {
  expect(status, text).toBe(success);
  return v.parse(schema, JSON.parse(text));
}

export function payment(answer: Answer, status: 200 | 201): ContactlessPayment {
  return parsed(answer, status, contactlessPaymentSchema);
}

export function payments(answer: Answer): ContactlessPayments {
  return parsed(answer, 200, contactlessPaymentsSchema);
}

export function receipt(answer: Answer): Receipt {
  return parsed(answer, 200, receiptSchema);
}

export function refund(answer: Answer, status: 200 | 201): RefundView {
  return parsed(answer, status, refundSchema);
}

export function refunds(answer: Answer): RefundsView {
  return parsed(answer, 200, refundsSchema);
}

export function terminal(answer: Answer, status: 200 | 201): TerminalView {
  return parsed(answer, status, terminalSchema);
}

export function terminals(answer: Answer): Terminals {
  return parsed(answer, 200, terminalsSchema);
}

export function connectionToken(answer: Answer): TerminalConnectionToken {
  return parsed(answer, 201, terminalConnectionTokenSchema);
}

export function setup(answer: Answer): PaymentMethodSetup {
  return parsed(answer, 200, paymentMethodSetupSchema);
}

export function challengeMethods(answer: Answer): ChallengeMethods {
  return parsed(answer, 200, challengeMethodsSchema);
}

export function payoutPreferences(answer: Answer): BusinessPayoutPreferences {
  return parsed(answer, 200, businessPayoutPreferencesSchema);
}

/** The base of problem types in the specs' services. */
export const problemBase = 'https://shop.example';

/** Expects this problem in the interface's shape, and returns its body. */
export function problem(answer: Answer, type: ProblemType): ProblemBody {
  const body = v.parse(problemSchema, JSON.parse(answer.text));
  expect(body.type, answer.text).toBe(`${problemBase}/problems/${type}`);
  expect(body.status).toBe(answer.status);
  const isRetriedLater = body.recovery?.retry === 'retrySameRequestAfterDelay';
  expect(answer.retryAfter !== undefined, 'Retry-After goes with a retry after delay').toBe(
    isRetriedLater,
  );
  expectRecoveryOfReason(body, type);
  return body;
}

/** The clients' table of reasons must say what the problems carry. */
function expectRecoveryOfReason(body: ProblemBody, type: ProblemType): void {
  const row = findReason(type, String(reason(body)));
  if (row === undefined) return;
  const isHeld = body.attributes?.['isReleased'] === false;
  const kind = row.recovery === 'finalOnceReleased' ? (isHeld ? 'unknown' : 'final') : row.recovery;
  const { outcome, retry } = body.recovery ?? {};
  expect(retry, `the retry of ${reason(body)}`).toBe(
    kind === 'final' ? 'doNotRetry' : 'retrySameRequestAfterDelay',
  );
  // Under a key, an outcome that is not proven is unknown (D22).
  const outcomes = kind === 'unknown' ? ['unknown'] : ['notApplied', 'unknown'];
  expect(outcomes, `the outcome of ${reason(body)}`).toContain(outcome);
}

/** Expects some problem in the interface's shape, and returns its body with the bare name as its type. */
export function anyProblem(answer: Answer): ProblemBody {
  const { type: uri } = v.parse(problemSchema, JSON.parse(answer.text));
  const type = uri.replace(`${problemBase}/problems/`, '');
  if (!isProblemType(type)) throw new Error(`${uri} is no problem type`);
  return { ...problem(answer, type), type };
}

function isProblemType(name: string): name is ProblemType {
  return Object.hasOwn(problemTypes, name);
}

/** The `reason` in a problem's attributes. */
export function reason(body: ProblemBody): unknown {
  return body.attributes?.['reason'];
}
