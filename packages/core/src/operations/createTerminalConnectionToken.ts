import { find, requireEntitledBarber, requireOwn } from '../call/access.ts';
import type { Caller } from '../call/call.ts';
import { type CommonProblem, perform, type Run } from '../call/perform.ts';
import { paymentAccount } from '../domain/business.ts';
import { type FaultOf, fault, type ProblemOf, unavailable } from '../domain/problem.ts';
import { err, type ResultAsync } from '../domain/result.ts';
import type { Ports } from '../ports/ports.ts';
import type { ProcessorError } from '../ports/processor-calls.ts';
import type { TerminalConnectionToken } from '../schemas/terminal.ts';
import { ask } from '../work/ask.ts';
import { notSetUp } from '../work/faults.ts';

export interface CreateTerminalConnectionTokenInput {
  readonly terminalId: string;
}

export type CreateTerminalConnectionTokenError = ProblemOf<
  | 'badRequest'
  | 'forbidden'
  | 'contactlessPaymentEntitlementMissing'
  | 'notFound'
  | 'unprocessableEntity'
  | 'paymentProviderNotSetup'
  | CommonProblem
>;

/**
 * Creates a short-lived token with which the terminal's SDK opens a session. Each call makes a new
 * one, which is never stored, logged or replayed (spec "Terminals", D24, D34).
 */
export function createTerminalConnectionToken(
  ports: Ports,
  caller: Caller,
  input: CreateTerminalConnectionTokenInput,
): ResultAsync<TerminalConnectionToken, CreateTerminalConnectionTokenError> {
  return perform(ports, 'createTerminalConnectionToken', caller, (run) => steps(run, input), input);
}

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
