import type { Exchange } from '../crash/log.ts';
import { dueMinor } from '../crash/shop.ts';
import { historyOf, type Seen } from './history.ts';

/** The history of a run with killed servers. */
export function historyOfCrash(log: readonly Exchange[]): object[] {
  const dues = new Map(log.map(({ appointmentId }) => [appointmentId, Number(dueMinor)]));
  return historyOf(dues, log.map(seen));
}

function seen({
  operation,
  key,
  appointmentId,
  paymentId,
  amount,
  from,
  to,
  answer,
}: Exchange): Seen {
  return {
    f: operation,
    key,
    appointment: appointmentId,
    ...(paymentId !== undefined && { payment: paymentId }),
    ...(amount !== undefined && { amount }),
    from,
    to,
    response: answer,
  };
}
