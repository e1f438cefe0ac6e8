import { createHash } from 'node:crypto';
import { type EpochMs, err, hourMs, ok, type Result, ResultAsync, safeTry } from '@chairside/core';
import type { Call } from './connection.ts';
import { type Failure, unknown } from './failure.ts';
import { markNames } from './marks.ts';
import { believe, customerSessionShape, customerShape, customersShape } from './shapes.ts';

/**
 * The customer at Stripe, on the platform's account: the one that the host names, the one that we
 * made before, or a new one.
 *
 * Search finds the earlier one, but lags by a minute or so. Within that minute the idempotency key,
 * which is the same for an hour, answers with it. In the worst case, across the turn of an hour, a
 * customer has two records at Stripe: what was saved is split, and nothing is lost.
 */
export function customerFor(
  call: Call,
  installation: string,
  customerId: string,
  begunAt: EpochMs,
): ResultAsync<string, Failure> {
  return safeTry(async function* () {
    const named = yield* askHost(call, customerId);
    if (named !== undefined) return ok(named);
    // A hash: the host's own id may hold anything, and this goes into a query and a header.
    const mark = createHash('sha256').update(`${installation}\n${customerId}`).digest('hex');
    const query = `metadata['${markNames.customer}']:'${mark}'`;
    const reply = yield* call.send((stripe, options) =>
      stripe.customers.search({ query, limit: 10 }, options),
    );
    const { data } = yield* believe(customersShape, reply);
    const oldest = data
      .filter(({ livemode, metadata }) => isOurs(call, livemode, metadata, mark))
      .sort((a, b) => a.created - b.created)[0];
    if (oldest !== undefined) return ok(oldest.id);
    return createCustomer(call, installation, mark, begunAt);
  });
}

function createCustomer(
  call: Call,
  installation: string,
  mark: string,
  begunAt: EpochMs,
): ResultAsync<string, Failure> {
  const metadata = { [markNames.customer]: mark, [markNames.installation]: installation };
  const idempotencyKey = `customer:${mark}:${Math.floor(begunAt / hourMs)}`;
  return call
    .send((stripe, options) => stripe.customers.create({ metadata }, options), { idempotencyKey })
    .andThen((reply) => believe(customerShape, reply))
    .andThen((made) =>
      isOurs(call, made.livemode, made.metadata, mark) ? ok(made.id) : err(unknown),
    );
}

function isOurs(
  call: Call,
  livemode: boolean,
  metadata: Readonly<Record<string, string>>,
  mark: string,
): boolean {
  return livemode === call.livemode && metadata[markNames.customer] === mark;
}

function askHost(call: Call, customerId: string): ResultAsync<string | undefined, Failure> {
  return new ResultAsync(asked());

  async function asked(): Promise<Result<string | undefined, Failure>> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const timeUp = new Promise<never>((_, reject) => {
      timer = setTimeout(reject, Math.max(0, call.deadline.remainingMs()));
    });
    try {
      return ok(await Promise.race([call.findCustomer(customerId), timeUp]));
    } catch {
      return err(unknown);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** What a payment sheet needs to show a customer what they saved. */
export interface CustomerSession {
  readonly customer: string;
  /** Short-lived. Goes to that customer's own app, and into no log. */
  readonly clientSecret: string;
}

export interface CustomerSessionRequest {
  readonly installation: string;
  readonly customerId: string;
  /** When this began; a retry gives the same time and the same key. */
  readonly begunAt: EpochMs;
  readonly idempotencyKey: string;
}

/** Opens a customer session for the mobile payment sheet. Beyond the port, for hosts with one. */
export function openCustomerSession(
  call: Call,
  { installation, customerId, begunAt, idempotencyKey }: CustomerSessionRequest,
): ResultAsync<CustomerSession, Failure> {
  return safeTry(async function* () {
    const customer = yield* customerFor(call, installation, customerId, begunAt);
    const features = {
      payment_method_redisplay: 'enabled',
      payment_method_remove: 'enabled',
      payment_method_save: 'enabled',
    } as const;
    const components = { mobile_payment_element: { enabled: true, features } };
    const reply = yield* call.send(
      (stripe, options) => stripe.customerSessions.create({ customer, components }, options),
      { idempotencyKey },
    );
    const session = yield* believe(customerSessionShape, reply);
    if (session.customer !== customer || session.livemode !== call.livemode) return err(unknown);
    return ok({ customer, clientSecret: session.client_secret });
  });
}
