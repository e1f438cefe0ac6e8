import { find, requireEntitledBarber, requireOwn } from '../call/access.ts';
import { type OperationError, operation } from '../call/operation.ts';
import type { Run } from '../call/perform.ts';
import { paymentAccount } from '../domain/business.ts';
import { type FaultOf, fault, unavailable } from '../domain/problem.ts';
import { err } from '../domain/result.ts';
import type { ProcessorError } from '../ports/processor-calls.ts';
import { terminalShapes } from '../schemas/shapes/terminal.ts';
import type { TerminalConnectionToken } from '../schemas/terminal.ts';
import { terminalConnectionTokenSchema } from '../schemas/terminal.ts';
import { ask } from '../work/ask.ts';
import { notSetUp } from '../work/faults.ts';

export interface CreateTerminalConnectionTokenInput {
  readonly terminalId: string;
}

export const createTerminalConnectionToken = {
  /**
   * Creates a short-lived token for the terminal's SDK. It is never stored, logged or replayed: fetch a
   * new one for each connection.
   *
   * @example
   * const token = await chairside.createTerminalConnectionToken(barber, { terminalId: 'trm_01h' });
   */
  createTerminalConnectionToken: operation<
    CreateTerminalConnectionTokenInput,
    TerminalConnectionToken
  >()({
    limit: 'connectionTokens',
    problems: [
      'badRequest',
      'forbidden',
      'contactlessPaymentEntitlementMissing',
      'notFound',
      'unprocessableEntity',
      'paymentProviderNotSetup',
    ],
    group: 'Terminals',
    summary: 'Issues a short-lived token with which a terminal opens a session',
    description:
      'The processor makes a new token for each call, and the service does not store it. The request has no body.',
    output: terminalConnectionTokenSchema,
    shapes: terminalShapes,
    run: steps,
  }),
};

export type CreateTerminalConnectionTokenError = OperationError<
  typeof createTerminalConnectionToken
>;

async function* steps({ ports, auth }: Run, input: CreateTerminalConnectionTokenInput) {
  const barberId = yield* requireEntitledBarber(auth);
  const terminal = yield* await find('terminal', input.terminalId, ports.store.terminals);
  yield* requireOwn(terminal.barberId === barberId, 'terminal');
  const business = yield* await ports.store.businesses.get(terminal.businessId);
  const account = paymentAccount(business);
  if (account === undefined) return yield* err(notSetUp());

  const { terminalLocation } = account;
  const made = await ask(ports, 'createConnectionToken', () =>
    ports.processor.createConnectionToken({
      account: account.id,
      ...(terminalLocation !== undefined && { terminalLocation }),
    }),
  );
  const { clientSecret } = yield* made.mapErr(tokenRefusal);
  return { clientSecret };
}

function tokenRefusal(
  error: ProcessorError,
): FaultOf<'paymentProviderNotSetup' | 'unprocessableEntity' | 'serviceUnavailable'> {
  switch (error.kind) {
    case 'notSetUp':
      return notSetUp();
    case 'rejected':
      return fault('unprocessableEntity', 'The processor rejected the terminal or its location.');
    case 'rateLimited':
      return unavailable('The payment processor is busy.', 'notApplied');
    case 'unavailable':
      return unavailable('The payment processor is unavailable.', error.outcome);
  }
}
