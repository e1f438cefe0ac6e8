import { type ProblemType, problemTypes } from '@chairside/core';
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

/** Expects this status, and returns the body as the schema declares it. */
const parserOfAny =
  <S extends v.GenericSchema>(schema: S) =>
  ({ status, text }: Answer, success: 200 | 201): v.InferOutput<S> => {
    expect(status, text).toBe(success);
    return v.parse(schema, JSON.parse(text));
  };

const parser =
  <S extends v.GenericSchema>(schema: S, success: 200 | 201 = 200) =>
  (answer: Answer): v.InferOutput<S> =>
    parserOfAny(schema)(answer, success);

export const payment = parserOfAny(contactlessPaymentSchema);
export const payments = parser(contactlessPaymentsSchema);
export const receipt = parser(receiptSchema);
export const refund = parserOfAny(refundSchema);
export const refunds = parser(refundsSchema);
export const terminal = parserOfAny(terminalSchema);
export const terminals = parser(terminalsSchema);
export const connectionToken = parser(terminalConnectionTokenSchema, 201);
export const setup = parser(paymentMethodSetupSchema);
export const challengeMethods = parser(challengeMethodsSchema);
export const payoutPreferences = parser(businessPayoutPreferencesSchema);

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
  // Under a key, an outcome that is not proven is unknown, and a final reason is asked for again then (D22).
  const isFinal = kind === 'final' && outcome !== 'unknown';
  expect(retry, `the retry of ${reason(body)}`).toBe(
    isFinal ? 'doNotRetry' : 'retrySameRequestAfterDelay',
  );
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
