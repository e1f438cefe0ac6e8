import type Stripe from 'stripe';
import type { StandInRequest } from '../endpoint.ts';
import { found, invalid, missing, type Reply } from '../reply.ts';

/** The parameters of each list. */
export const pageParams = {
  created: { gt: 'integer', gte: 'integer', lt: 'integer', lte: 'integer' },
  limit: 'integer',
  starting_after: 'string',
} as const;

/** A page of a list: newest first, after the named object. */
export function page<Kept, Shown extends { readonly id: string; readonly created: number }>(
  url: string,
  params: StandInRequest<Stripe.CustomerListParams>['params'],
  objects: ReadonlyMap<string, Kept>,
  show: (object: Kept) => Shown | undefined,
): Reply<Stripe.ApiList<Shown>> {
  const { created: { gt, gte, lt, lte } = {}, limit = 10, starting_after: after } = params;
  if (limit < 1 || limit > 100) return invalid('Invalid limit', { param: 'limit' });
  const inRange = ({ created }: Shown) =>
    (gt === undefined || created > gt) &&
    (gte === undefined || created >= gte) &&
    (lt === undefined || created < lt) &&
    (lte === undefined || created <= lte);
  const all = [...objects.values()].toReversed().flatMap((object) => show(object) ?? []);
  const start = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && start === 0) {
    return missing('object', after, 'starting_after', 400);
  }
  const rest = all.slice(start).filter(inRange);
  const data = rest.slice(0, limit);
  return found({ object: 'list', data, has_more: rest.length > limit, url });
}
