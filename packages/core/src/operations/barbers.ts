import { find } from '../call/access.ts';
import { commit } from '../call/commit.ts';
import { operation } from '../call/operation.ts';
import { type Fault, fault } from '../domain/problem.ts';
import { conflict } from '../domain/refusals.ts';
import { err } from '../domain/result.ts';

/** Operations on the records of a barber. */
export const barbers = {
  /**
   * Deletes a weekly schedule, for its barber or a system administrator.
   *
   * @example
   * const deleted = await chairside.deleteBarberSchedule(barber, {
   *   barberId: 'ada',
   *   scheduleId: 'winter',
   * });
   */
  deleteBarberSchedule: operation<
    { readonly barberId: string; readonly scheduleId: string },
    void
  >()({
    limit: 'writes',
    problems: ['forbidden', 'notFound', 'conflict'],
    group: 'Barbers',
    summary: "Deletes a barber's named weekly schedule",
    description: 'Only the barber who owns the schedule, or a system administrator, may delete it.',
    async *run({ ports, auth }, input) {
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
      if (kept?.barberId !== barber.id) return yield* err(error);
      return yield* err(conflict('scheduleInUse', 'The schedule is still in use.'));
    },
  }),
};

function notAllowed(): Fault<'forbidden'> {
  return fault('forbidden', "Only the schedule's barber or an administrator may do this.");
}
