import type Stripe from 'stripe';
import type { Form } from '../form.ts';
import { mapOf, numberOf, textOf } from '../form-values.ts';
import { found, invalid, missing, Refusal, type Reply } from '../reply.ts';

/** A page of a list: newest first, after the named object. */
export function page<T extends { readonly id: string; readonly created: number }>(
  path: string,
  ids: readonly string[],
  form: Form,
  get: (id: string) => T | undefined,
): Reply<Stripe.ApiList<T>> {
  const limit = numberOf(form, 'limit') ?? 10;
  if (limit < 1 || limit > 100) throw new Refusal(invalid('Invalid limit', { param: 'limit' }));
  const { gt, gte, lt, lte } = mapOf(form, 'created');
  const inRange = ({ created }: T) =>
    (gt === undefined || created > Number(gt)) &&
    (gte === undefined || created >= Number(gte)) &&
    (lt === undefined || created < Number(lt)) &&
    (lte === undefined || created <= Number(lte));
  const all = ids.toReversed().flatMap((id) => get(id) ?? []);
  const after = textOf(form, 'starting_after');
  const start = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && start === 0) {
    throw new Refusal(missing('object', after, 'starting_after', 400));
  }
  const rest = all.slice(start).filter(inRange);
  const data = rest.slice(0, limit);
  return found({ object: 'list', data, has_more: rest.length > limit, url: path });
}
