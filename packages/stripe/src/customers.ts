import { createHash } from 'node:crypto';
import { err, hourMs, ok, okAsync, type Result, ResultAsync, safeTry } from '@chairside/core';
import { unknownCustomer } from '@chairside/core/ports';
import type { Call } from './connection.ts';
import { type Failure, isMissing, unknown } from './failure.ts';
import { type List, listSince } from './list.ts';
import { markNames } from './marks.ts';
import {
  believe,
  type Customer,
  customerSessionShape,
  customerShape,
  customersShape,
} from './shapes.ts';

/** A customer that is deleted more often within a day is refused. */
const maxReplaced = 3;

/**
 * Uses the customer at Stripe, on the platform's account: the customer that the host knows, an
 * earlier customer of ours, or a new customer. One that was deleted there is replaced.
 *
 * Stripe's search can be an hour behind, and some merchants do not have it. So the key for creating
 * a customer never changes: for 24 hours Stripe returns the same customer, and by then search finds
 * it. Only a customer that is deleted and replaced on its first day may be created twice: the first key may end while
 * search does not show the replacement yet. Search then finds the older one. A host that saves the ids needs no search.
 */
export function withCustomer<T>(
  call: Call,
  installation: string,
  customerId: string,
  use: (customer: string) => ResultAsync<T, Failure>,
): ResultAsync<T, Failure> {
  const { findCustomer, saveCustomer } = call;
  const mark = hash(`${installation}\n${customerId}`);
  const gone: string[] = [];
  return safeTry(async function* () {
    const named = findCustomer && (yield* askHost(call, () => findCustomer(customerId)));
    const known = named ?? (saveCustomer ? undefined : yield* search(call, mark));
    let customer = known ?? (yield* create());
    for (;;) {
      const used = await use(customer);
      if (used.isOk() || !isGone(used.error) || gone.length === maxReplaced) return used;
      if (customer === named && !(yield* mayReplace(call, named))) return used;
      gone.push(customer);
      customer = yield* create();
    }
  });

  function create(): ResultAsync<string, Failure> {
    return createCustomer(call, installation, mark, gone).andThen((made) =>
      saveCustomer
        ? askHost(call, () => saveCustomer(customerId, made)).map(() => made)
        : okAsync(made),
    );
  }
}

/** A host's id may contain any character, and these go into a query and into headers. */
const hash = (text: string) => createHash('sha256').update(text).digest('hex');

/**
 * The key of a request about this customer. Stripe keeps a refusal for its key, also the one that says that
 * the customer was deleted.
 */
export function keyAbout(customer: string, idempotencyKey: string): string {
  return `${idempotencyKey}:${hash(customer).slice(0, 16)}`;
}

const isGone = ({ error }: Failure) =>
  error.kind === 'rejected' && error.reason === unknownCustomer;

/**
 * Whether a customer that the host has named can be replaced. Stripe still shows a deleted one. With the
 * key of another account it shows none, and the host must keep its ids.
 */
function mayReplace({ saveCustomer, send }: Call, named: string): ResultAsync<boolean, Failure> {
  if (saveCustomer === undefined) return okAsync(false);
  return send((stripe, options) => stripe.customers.retrieve(named, {}, options))
    .map((customer) => customer.deleted === true)
    .orElse((failure) => (isMissing(failure) ? ok(false) : err(failure)));
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

/**
 * Creates a customer, or returns the one that was created under the same key. If that one is `gone`, its
 * id names the next key, so that all calls create the same next customer.
 */
function createCustomer(
  call: Call,
  installation: string,
  mark: string,
  gone: readonly string[],
  key = `customer:${mark}`,
): ResultAsync<string, Failure> {
  const metadata = { [markNames.customer]: mark, [markNames.installation]: installation };
  const create = (idempotencyKey: string) =>
    call
      .send((stripe, options) => stripe.customers.create({ metadata }, options), { idempotencyKey })
      .andThen((reply) => believe(customerShape, reply))
      .andThen((made) => (isOurs(call, made, mark) ? ok(made.id) : err(unknown)));
  return create(key)
    .orElse((failure) =>
      safeTry(async function* () {
        const { error, isRepeated = false } = failure;
        const isKept = error.kind === 'unavailable' && error.answered;
        if (!isRepeated && !isKept) return err(failure);
        // Stripe repeats a failure or a refusal for a day. After its own failure it may have created the
        // customer; after a refusal the platform may be mended.
        const recent = yield* findRecent(call, mark);
        if (recent !== undefined) return ok(recent);
        return create(`${key}:${Math.floor(call.clock.now() / hourMs)}`);
      }),
    )
    .andThen((made) => {
      const others = gone.filter((id) => id !== made);
      return others.length === gone.length
        ? okAsync(made)
        : createCustomer(call, installation, mark, others, `customer:${mark}:${made}`);
    });
}

/** Finds a recent customer by list, because search can lag behind. */
function findRecent(call: Call, mark: string): ResultAsync<string | undefined, Failure> {
  const list: List = (stripe, params, options) => stripe.customers.list(params, options);
  const since = call.clock.now() - 2 * hourMs;
  const marks = { [markNames.customer]: mark };
  return listSince({ call, list }, since, marks).map((ours) => ours.at(-1)?.id);
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
  const features = {
    payment_method_redisplay: 'enabled',
    payment_method_remove: 'enabled',
    payment_method_save: 'enabled',
  } as const;
  const components = { mobile_payment_element: { enabled: true, features } };
  return withCustomer(call, installation, customerId, (customer) =>
    call
      .send(
        (stripe, options) => stripe.customerSessions.create({ customer, components }, options),
        {
          idempotencyKey: keyAbout(customer, idempotencyKey),
        },
      )
      .andThen((reply) => believe(customerSessionShape, reply))
      .andThen((session) => {
        const { customer: of = customer, livemode = call.livemode } = session;
        if (of !== customer || livemode !== call.livemode) return err(unknown);
        return ok({ customer, clientSecret: session.client_secret });
      }),
  );
}
