import { findAppointment, requireBusiness, requireOwn } from '../call/access.ts';
import { hostOperation, type OperationError } from '../call/operation.ts';
import type { Run } from '../call/perform.ts';
import { type Fault, type FaultOf, fault } from '../domain/problem.ts';
import { err, ok, type Result, type Steps } from '../domain/result.ts';
import { canBeId } from '../domain/text.ts';
import type { AuthContext } from '../ports/auth-context.ts';
import type { Ports } from '../ports/ports.ts';
import type { StoreUnavailable } from '../ports/store.ts';
import { type AppointmentLedger, viewLedger } from '../schemas/appointment-ledger.ts';

export interface GetAppointmentLedgerInput {
  readonly appointmentId: string;
}

export const getAppointmentLedger = {
  /**
   * Returns the captured and reserved amounts of an appointment. A host with its own appointments calls
   * it after the transaction that lowers the amount due: with `reserved: '0.00'` no capture exceeds the
   * new amount (D13). The appointment's business and system administrators may call it; administrators
   * also for a removed appointment.
   *
   * @example
   * const ledger = await chairside.getAppointmentLedger(manager, { appointmentId: 'haircut' });
   * const isSafe = ledger.isOk() && ledger.value.reserved === '0.00';
   */
  getAppointmentLedger: hostOperation<GetAppointmentLedgerInput, AppointmentLedger>()({
    problems: ['forbidden', 'notFound'],
    run: steps,
  }),
};

export type GetAppointmentLedgerError = OperationError<typeof getAppointmentLedger>;

async function* steps({ ports, auth }: Run, { appointmentId }: GetAppointmentLedgerInput) {
  if (auth.systemAdministrator === true) yield* requireId(appointmentId);
  else yield* requireBusinessOf(ports, auth, appointmentId);
  const ledger = yield* await ports.store.ledgers.get(appointmentId);
  return viewLedger(ledger);
}

/**
 * An administrator may ask about any appointment, removed ones included, so only the id is checked.
 */
function requireId(id: string): Result<void, Fault<'notFound'>> {
  return typeof id === 'string' && canBeId(id)
    ? ok()
    : err(fault('notFound', 'There is no such appointment.'));
}

async function* requireBusinessOf(
  ports: Ports,
  auth: AuthContext,
  appointmentId: string,
): Steps<void, FaultOf<'forbidden' | 'notFound'> | StoreUnavailable> {
  const businessIds = yield* requireBusiness(auth);
  const appointment = yield* await findAppointment(ports, appointmentId);
  yield* requireOwn(businessIds.includes(appointment.businessId), 'appointment');
}
