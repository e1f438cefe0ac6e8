import type { AuthContext } from '../ports/ports.ts';
import type { Read, StoreUnavailable } from '../ports/store.ts';
import { type Fault, fault } from '../problems/problem.ts';
import { err, ok, type Result } from '../values/result.ts';
import { canBeId } from '../values/text.ts';

export function requireBarber(auth: AuthContext): Result<string, Fault<'forbidden'>> {
  return auth.barberId === undefined
    ? err(fault('forbidden', 'Only a barber may do this.'))
    : ok(auth.barberId);
}

export function requireEntitledBarber(
  auth: AuthContext,
): Result<string, Fault<'forbidden'> | Fault<'contactlessPaymentEntitlementMissing'>> {
  return requireBarber(auth).andThen((barberId) =>
    auth.entitlements?.includes('contactlessPayments')
      ? ok(barberId)
      : err(
          fault(
            'contactlessPaymentEntitlementMissing',
            'Contactless payments are not enabled for this barber.',
          ),
        ),
  );
}

export function requireCustomer(auth: AuthContext): Result<string, Fault<'forbidden'>> {
  return auth.customerId === undefined
    ? err(fault('forbidden', 'Only a customer may do this.'))
    : ok(auth.customerId);
}

export function requireBusiness({
  businessIds = [],
}: AuthContext): Result<readonly string[], Fault<'forbidden'>> {
  return businessIds.length === 0
    ? err(fault('forbidden', 'Only a business may do this.'))
    : ok(businessIds);
}

export function requireOwn(isOwn: boolean, what: string): Result<void, Fault<'forbidden'>> {
  return isOwn ? ok() : err(fault('forbidden', `The ${what} is not yours.`));
}

/**
 * Whether the caller may act for some shop: an administrator or a business. Other callers are refused
 * before a read, so that they cannot tell which records exist (D11).
 */
export function managesShops({ systemAdministrator, businessIds = [] }: AuthContext): boolean {
  return systemAdministrator === true || businessIds.length > 0;
}

export function notOfItsShop(): Fault<'forbidden'> {
  return fault('forbidden', "Only the appointment's business or an administrator may do this.");
}

export function managesShop(auth: AuthContext, businessId: string): boolean {
  return auth.systemAdministrator === true || auth.businessIds?.includes(businessId) === true;
}

export type Found<T> = Promise<Result<T, Fault<'notFound'> | StoreUnavailable>>;
interface Records<T> {
  get(id: string): Read<T | undefined>;
}

/**
 * Reads a record by an id from a path. Invalid ids are not found, without a read (D1).
 * @param isThere if it returns false, the record is not found either.
 */
export function find<T, Seen extends T>(
  what: string,
  id: string,
  records: Records<T>,
  isThere: (record: T) => record is Seen,
): Found<Seen>;
export function find<T>(
  what: string,
  id: string,
  records: Records<T>,
  isThere?: (record: T) => boolean,
): Found<T>;
export async function find<T>(
  what: string,
  id: string,
  records: Records<T>,
  isThere: (record: T) => boolean = () => true,
): Found<T> {
  const read = canBeId(id) ? await records.get(id) : ok(undefined);
  if (read.isErr()) return err(read.error);
  const value = read.value ?? undefined; // a host's own database may return `null`
  return value === undefined || !isThere(value) ? err(notFound(what)) : ok(value);
}

export function notFound(what: string): Fault<'notFound'> {
  return fault('notFound', `There is no such ${what}.`);
}

/** `undefined` for a record that was not found. */
export function orAbsent<T>(found: Awaited<Found<T>>): Result<T | undefined, StoreUnavailable> {
  if (found.isOk()) return ok(found.value);
  return 'kind' in found.error ? err(found.error) : ok(undefined);
}

/**
 * Whether a record that was read before its id was known has this id, or its read has failed. Where
 * a host keeps such records elsewhere, the store finds no record, or another record.
 */
export function isReadOf<T extends { readonly id: string }>(
  id: string,
  read: Result<T | undefined, StoreUnavailable> | undefined,
): read is Result<T | undefined, StoreUnavailable> {
  return read !== undefined && (read.isErr() || read.value?.id === id);
}
