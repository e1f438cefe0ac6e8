import { createHash } from 'node:crypto';
import { err, hourMs, ok, type Result, ResultAsync, safeTry } from '@chairside/core';
import type { Call } from './connection.ts';
import { type Failure, unknown } from './failure.ts';
import { type List, listSince } from './list.ts';
import { markNames } from './marks.ts';
import {
  believe,
  type Customer,
  customerSessionShape,
  customerShape,
  customersShape,
} from './shapes.ts';

/**
 * The customer at Stripe, on the platform's account: the customer that the host knows, an
 * earlier customer of ours, or a new customer.
 *
 * Stripe's search can be an hour behind, and some merchants do not have it. So the key for creating
 * a customer never changes: for 24 hours Stripe returns the same customer, and by then search finds
 * it. A host that saves the ids needs no search at all.
 */
export function customerFor(
  call: Call,
  installation: string,
  customerId: string,
): ResultAsync<string, Failure> {
  return safeTry(async function* () {
    const { findCustomer, saveCustomer } = call;
    const named = findCustomer && (yield* askHost(call, () => findCustomer(customerId)));
    if (named !== undefined) return ok(named);
    // Hashed, because the host's id may contain any character, and the mark goes into a query and a
    // header.
    const mark = createHash('sha256').update(`${installation}\n${customerId}`).digest('hex');
    if (saveCustomer === undefined) {
      const found = yield* search(call, mark);
      return found === undefined ? createCustomer(call, installation, mark) : ok(found);
    }
    const made = yield* createCustomer(call, installation, mark);
    yield* askHost(call, () => saveCustomer(customerId, made));
    return ok(made);
  });
}

function search(call: Call, mark: string): ResultAsync<string | undefined, Failure> {
  const query = `metadata['${markNames.customer}']:'${mark}'`;
  return call
    .send((stripe, options) => stripe.customers.search({ query, limit: 10 }, options))
    .andThen((reply) => believe(customersShape, reply))
    .map(({ data }) => {
      const ours = data
        .flatMap((found) => believe(customerShape, found).unwrapOr([]))
        .filter((customer) => isOurs(call, customer, mark));
      return ours.sort((a, b) => (a.created ?? 0) - (b.created ?? 0))[0]?.id;
    })
    .orElse((failure) => (failure.error.kind === 'rejected' ? ok(undefined) : err(failure)));
}

function createCustomer(
  call: Call,
  installation: string,
  mark: string,
): ResultAsync<string, Failure> {
  const metadata = { [markNames.customer]: mark, [markNames.installation]: installation };
  const create = (idempotencyKey: string) =>
    call
      .send((stripe, options) => stripe.customers.create({ metadata }, options), { idempotencyKey })
      .andThen((reply) => believe(customerShape, reply))
      .andThen((made) => (isOurs(call, made, mark) ? ok(made.id) : err(unknown)));
  return create(`customer:${mark}`).orElse((failure) =>
    safeTry(async function* () {
      const { error, isRepeated = false } = failure;
      const isKept = error.kind === 'unavailable' && error.answered;
      if (!isRepeated && !isKept) return err(failure);
      // Stripe repeats a failure or a refusal for a day. After its own failure it may have created the
      // customer; after a refusal the platform may be mended.
      const recent = yield* findRecent(call, mark);
      if (recent !== undefined) return ok(recent);
      return create(`customer:${mark}:${Math.floor(call.clock.now() / hourMs)}`);
    }),
  );
}

/** Finds a recent customer by list, because search can lag behind. */
function findRecent(call: Call, mark: string): ResultAsync<string | undefined, Failure> {
  const list: List = (params) =>
    call.send((stripe, options) => stripe.customers.list(params, options));
  const since = call.clock.now() - 2 * hourMs;
  const marks = { [markNames.customer]: mark };
  return listSince(list, since, marks).map((ours) => ours.at(-1)?.id);
}

function isOurs(call: Call, { livemode, metadata }: Customer, mark: string): boolean {
  return livemode === call.livemode && metadata[markNames.customer] === mark;
}

/** Waits for the host within the call's time. Errors of the host leave the outcome open. */
function askHost<T>(call: Call, ask: () => Promise<T>): ResultAsync<T, Failure> {
  return new ResultAsync(asked());

  async function asked(): Promise<Result<T, Failure>> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const timeUp = new Promise<never>((_, reject) => {
      timer = setTimeout(reject, Math.max(0, call.deadline.remainingMs()));
    });
    try {
      return ok(await Promise.race([ask(), timeUp]));
    } catch {
      return err(unknown);
    } finally {
      clearTimeout(timer);
    }
  }
}

/** A payment sheet needs it to show a customer's saved methods. */
export interface CustomerSession {
  readonly customer: string;
  /** Short-lived. Only that customer's app may receive it, and logs must not contain it. */
  readonly clientSecret: string;
}

export interface CustomerSessionRequest {
  readonly installation: string;
  readonly customerId: string;
  readonly idempotencyKey: string;
}

/** Opens a customer session for the mobile payment sheet. It is not part of the port. */
export function openCustomerSession(
  call: Call,
  { installation, customerId, idempotencyKey }: CustomerSessionRequest,
): ResultAsync<CustomerSession, Failure> {
  return safeTry(async function* () {
    const customer = yield* customerFor(call, installation, customerId);
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
    const { customer: of = customer, livemode = call.livemode } = session;
    if (of !== customer || livemode !== call.livemode) return err(unknown);
    return ok({ customer, clientSecret: session.client_secret });
  });
}
