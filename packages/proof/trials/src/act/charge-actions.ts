import type { ChargePaymentMethodBody } from '@chairside/core';
import type { Answer } from '../check/request-log.ts';
import type { Does } from '../plan/action.ts';
import { exchange, gaveUp, type Manner } from './exchange.ts';
import { type Run, toAnswer } from './run.ts';
import { appointmentId, customerOf, nameOf, officeOf, owner, setupNameOf } from './shop.ts';

/** The shop charges a saved method for an appointment (D49). */
export async function charge(
  run: Run,
  action: Does<'charge'>,
  { isLimited, isLast = false }: Manner = {},
): Promise<Answer | undefined> {
  const { id, appointment, purpose, amount, key, as = 'self' } = action;
  const setup = run.setups.get(setupNameOf(action));
  if (setup === undefined) return gaveUp;
  const auth = as === 'other' ? officeOf('elsewhere') : owner;
  const body: ChargePaymentMethodBody = {
    purpose,
    amount,
    paymentMethodSetupId: setup.id,
    agreedAt: '2026-10-01T09:00:00.000Z',
    agreementRef: 'terms-7',
  };
  const service = run.serve(id, isLimited);
  const asked = `charge ${appointment} ${purpose} ${amount} ${setup.id}`;
  const about = { appointment: appointmentId(appointment), setup: setup.id };
  const sender = { action: id, as, subject: auth.subject, ...about } as const;
  const what = { ...sender, operation: 'charge', key, asked, isLast } as const;
  const input = { appointmentId: about.appointment, idempotencyKey: key, body };
  return exchange(run, service, what, () =>
    toAnswer(
      service.chairside.chargePaymentMethod(auth, input).map((charged) => {
        // It is refunded as any other payment. No client has a secret of it.
        run.opened.set(nameOf(appointment, key), { id: charged.id, clientSecret: '' });
        return charged;
      }),
      201,
    ),
  );
}

/** The customer withdraws a saved method. */
export async function withdraw(run: Run, action: Does<'withdraw'>): Promise<Answer | undefined> {
  const { id, customer, as = 'self' } = action;
  const setup = run.setups.get(setupNameOf(action));
  if (setup === undefined) return gaveUp;
  const auth = customerOf(customer, as);
  const sender = { action: id, as, subject: auth.subject } as const;
  const asked = `withdraw ${setup.id}`;
  const what = { ...sender, operation: 'withdraw', asked, setup: setup.id } as const;
  const service = run.serve(id);
  const input = { paymentMethodSetupId: setup.id };
  return exchange(run, service, what, () =>
    toAnswer(service.chairside.releasePaymentMethod(auth, input), 200),
  );
}

export async function prepare(
  run: Run,
  action: Does<'prepare'>,
  { isLimited, isLast = false }: Manner = {},
): Promise<Answer | undefined> {
  const { id, customer, key, save, as = 'self' } = action;
  const auth = customerOf(customer, as);
  const keyed = key === undefined ? {} : { key };
  const asked = `prepare ${save}`;
  const sender = { action: id, as, subject: auth.subject } as const;
  const what = { ...sender, operation: 'prepare', asked, isLast, ...keyed } as const;
  const service = run.serve(id, isLimited);
  const input = {
    body: { savePaymentMethod: save },
    ...(key !== undefined && { idempotencyKey: key }),
  };
  return exchange(run, service, what, () =>
    toAnswer(
      service.chairside.preparePaymentMethod(auth, input).map((setup) => {
        const { paymentMethodSetupId, clientSecret } = setup;
        if (as === 'self') {
          run.setups.set(setupNameOf(action), { id: paymentMethodSetupId, clientSecret });
        }
        return setup;
      }),
      200,
    ),
  );
}

/** The customer's actions in the app, once it has a session. */
export async function enter(run: Run, action: Does<'enter'>): Promise<void> {
  const opened = run.setups.get(setupNameOf(action));
  if (opened === undefined) return;
  const entered = await run.world().processor.completeSetup(opened.clientSecret, action.card);
  const trail = run.evidence.setups.get(opened.id);
  if (entered.isErr() || entered.value.status !== 'completed' || trail === undefined) return;
  trail.completed = run.scheduler.nextMoment();
  trail.completedAt = run.scheduler.clock.now();
}

export async function readSetup(run: Run, action: Does<'readSetup'>): Promise<Answer | undefined> {
  const { id, customer, as = 'self' } = action;
  const opened = run.setups.get(setupNameOf(action));
  if (opened === undefined) return gaveUp;
  const auth = customerOf(customer, as);
  const sender = { action: id, as, subject: auth.subject } as const;
  const asked = `setup ${opened.id}`;
  const what = { ...sender, operation: 'readSetup', asked, setup: opened.id } as const;
  const service = run.serve(id);
  const input = { paymentMethodSetupId: opened.id };
  return exchange(run, service, what, () =>
    toAnswer(service.chairside.readPaymentMethodSetup(auth, input), 200),
  );
}
