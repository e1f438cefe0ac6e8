import { find, requireBarber, requireOwn } from '../access.ts';
import type { Caller } from '../call.ts';
import { commit } from '../commit.ts';
import type { ProblemOf } from '../domain/problem.ts';
import { type ResultAsync, safeTry } from '../domain/result.ts';
import { type Always, perform, type Run } from '../perform.ts';
import type { Ports } from '../ports/ports.ts';

export interface DeleteBarberScheduleInput {
  readonly barberId: string;
  readonly scheduleId: string;
}

/** `conflict` stands in its row (D30); Chairside itself knows no reason for one. */
export type DeleteBarberScheduleError = ProblemOf<'forbidden' | 'notFound' | 'conflict' | Always>;

/**
 * Removes a named weekly schedule, for its barber or a system administrator (spec "Business, barber
 * and authentication operations", D30).
 */
export function deleteBarberSchedule(
  ports: Ports,
  caller: Caller,
  input: DeleteBarberScheduleInput,
): ResultAsync<void, DeleteBarberScheduleError> {
  const steps = ({ ports, auth }: Run) =>
    safeTry(async function* () {
      const isAdministrator = auth.systemAdministrator === true;
      if (!isAdministrator) yield* requireBarber(auth);
      // The owner in the path is settled first (404, 403): of another barber's schedules nobody
      // learns which ones there are (D11).
      const barber = yield* await find('barber', input.barberId, ports.store.barbers.get);
      yield* requireOwn(isAdministrator || auth.barberId === barber.id, 'schedule');
      const schedule = yield* await find('schedule', input.scheduleId, (id) =>
        ports.store.schedules
          .get(id)
          // Under another owner's path there is no such schedule (D30).
          .map((schedule) => (schedule?.barberId === barber.id ? schedule : undefined)),
      );
      return commit(ports, [{ kind: 'deleteSchedule', barberId: barber.id, id: schedule.id }]);
    });
  return perform(ports, 'deleteBarberSchedule', caller, steps);
}
