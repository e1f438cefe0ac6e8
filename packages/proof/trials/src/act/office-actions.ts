import type { AuthContext, Problem, ResultAsync } from '@chairside/core';
import type { Answer } from '../check/request-log.ts';
import type { Does, OfficeTask, Sender } from '../plan/action.ts';
import { exchange } from './exchange.ts';
import { type Run, type Service, toAnswer } from './run.ts';
import { barberAuth } from './shop.ts';

interface Task {
  readonly success: number;
  readonly ask: (service: Service, auth: AuthContext) => ResultAsync<unknown, Problem>;
}

const tasks: Readonly<Record<OfficeTask, Task>> = {
  readPayouts: {
    success: 200,
    ask: ({ chairside }, auth) => chairside.getPayoutPreferences(auth, { businessId: 'shop' }),
  },
  removeAccount: {
    success: 204,
    ask: ({ chairside }, auth) =>
      chairside.removeFinancialAccount(auth, { businessId: 'shop', accountId: 'bank-2' }),
  },
  removeDefaultAccount: {
    success: 204,
    ask: ({ chairside }, auth) =>
      chairside.removeFinancialAccount(auth, { businessId: 'shop', accountId: 'bank-1' }),
  },
  removeSchedule: {
    success: 204,
    ask: ({ chairside }, auth) =>
      chairside.deleteBarberSchedule(auth, { barberId: 'ada', scheduleId: 'winter' }),
  },
  listChallengeMethods: {
    success: 200,
    ask: ({ chairside }, auth) =>
      chairside.listChallengeMethods(auth, { query: { phoneNumber: '+49 30 1234567' } }),
  },
};

/** The requests of a business, a barber or any logged-in user beside payments. */
export async function askOffice(
  run: Run,
  { id, what, as = 'self' }: Does<'office'>,
): Promise<Answer | undefined> {
  const auth = officeSender(what, as);
  const service = run.serve(id);
  const sent = { action: id, operation: what, as, subject: auth.subject, asked: what } as const;
  const { ask, success } = tasks[what];
  return exchange(run, service, sent, () => toAnswer(ask(service, auth), success));
}

function officeSender(what: OfficeTask, as: Sender): AuthContext {
  if (what === 'removeSchedule') return barberAuth(as === 'other' ? 1 : 0, as !== 'roleless', 0);
  const subject = `user-office-${as}`;
  if (as === 'roleless') return { subject };
  return { subject, businessIds: [as === 'other' ? 'annex' : 'shop'] };
}
