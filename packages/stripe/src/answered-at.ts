import type { EpochMs } from '@chairside/core';

/**
 * The time of a reply by Stripe's clock (D42): its `Date` header, which the SDK keeps beside the
 * body. It is rounded down to seconds, so a payment never seems older than it is.
 */
export function answeredAt(reply: unknown): { readonly at?: EpochMs } {
  const headers = memberOf(memberOf(reply, 'lastResponse'), 'headers');
  // A host's own HTTP client may use the `Headers` of `fetch` instead of a plain object.
  const date = headers instanceof Headers ? headers.get('date') : memberOf(headers, 'date');
  const at = typeof date === 'string' ? Date.parse(date) : Number.NaN;
  return Number.isNaN(at) ? {} : { at };
}

function memberOf(of: unknown, name: string): unknown {
  return Reflect.get(Object(of), name);
}
