import { find } from '../call/access.ts';
import { commit } from '../call/commit.ts';
import { type OperationError, operation } from '../call/operation.ts';
import type { Run } from '../call/perform.ts';
import { type Fault, fault } from '../domain/problem.ts';
import { err } from '../domain/result.ts';

export interface DeleteBarberScheduleInput {
  readonly barberId: string;
  readonly scheduleId: string;
}

export const deleteBarberSchedule = {
  /**
   * Deletes a weekly schedule, for its barber or a system administrator.
   *
   * @example
   * const deleted = await chairside.deleteBarberSchedule(barber, {
   *   barberId: 'ada',
   *   scheduleId: 'winter',
   * });
   */
  deleteBarberSchedule: operation<DeleteBarberScheduleInput, void>()({
    limit: 'writes',
    problems: ['forbidden', 'notFound', 'conflict'],
    group: 'Barbers',
    summary: "Deletes a barber's named weekly schedule",
    description: 'Only the barber who owns the schedule, or a system administrator, may delete it.',
    run: steps,
  }),
};

export type DeleteBarberScheduleError = OperationError<typeof deleteBarberSchedule>;

async function* steps({ ports, auth }: Run, input: DeleteBarberScheduleInput) {
  const isAdministrator = auth.systemAdministrator === true;
  if (!isAdministrator && auth.barberId === undefined) yield* err(notAllowed());
  // Checks the barber of the path first (404, 403), so that the schedule ids of others stay secret
  // (D11).
  const barber = yield* await find('barber', input.barberId, ports.store.barbers);
  if (!isAdministrator && auth.barberId !== barber.id) yield* err(notAllowed());
  const { schedules } = ports.store;
  // Under another barber's path the schedule does not exist (D30).
  const { id } = yield* await find(
    'schedule',
    input.scheduleId,
    schedules,
    ({ barberId }) => barberId === barber.id,
  );
  const deleted = await commit(ports, [{ kind: 'deleteSchedule', barberId: barber.id, id }]);
  if (deleted.isOk()) return;
  const { error } = deleted;
  if (error.kind !== 'storeConflict') return yield* err(error);
  // If it is gone, the run starts again; otherwise the host still needs it (D35).
  const kept = yield* await schedules.get(id);
  return yield* err(kept?.barberId === barber.id ? scheduleInUse() : error);
}

function scheduleInUse(): Fault<'conflict'> {
  return fault('conflict', 'The schedule is still in use.', {
    attributes: { reason: 'scheduleInUse' },
  });
}

function notAllowed(): Fault<'forbidden'> {
  return fault('forbidden', "Only the schedule's barber or an administrator may do this.");
}
