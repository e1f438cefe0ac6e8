import {
  type EpochMs,
  err,
  type ListRecentRefundsRequest,
  ok,
  type RecentRefunds,
  type ResultAsync,
  safeTry,
} from '@chairside/core';
import { answeredAt } from './answered-at.ts';
import type { Call } from './connection.ts';
import { type Failure, unknown } from './failure.ts';
import { retrieveIntent } from './intents.ts';
import { ledgerScope } from './list-payments.ts';
import { markNames, paymentMarks } from './marks.ts';
import { believe, type Refund, refundListShape } from './shapes.ts';

/** Only the format matters: with destination charges a request names no account. */
const platform = 'acct_platform';

/**
 * Our payments of which refunds were made in a span. A refund of the dashboard has no marks, but its
 * intent does, so each such intent is read.
 */
export function listRecentRefunds(
  call: Call,
  { ledger, installation, madeFrom, madeBefore }: ListRecentRefundsRequest,
): ResultAsync<RecentRefunds, Failure> {
  return safeTry(async function* () {
    const { scope } = yield* ledgerScope(call, ledger, installation);
    const created = { gte: Math.floor(madeFrom / 1000), lt: Math.ceil(madeBefore / 1000) };
    const found = new Set<string>();
    const intents = new Set<string>();
    let at: EpochMs | undefined;
    let after: string | undefined;
    for (;;) {
      const starting = after === undefined ? {} : { starting_after: after };
      const params = { created, limit: 100, ...starting };
      const reply = yield* call.send(
        (stripe, options) => stripe.refunds.list(params, options),
        scope,
      );
      at = answeredAt(reply).at ?? at;
      const { data, has_more } = yield* believe(refundListShape, reply);
      for (const refund of data) note(refund, installation, found, intents);
      const last = data.at(-1)?.id;
      if (!has_more) break;
      if (last === undefined || last === after) return err(unknown);
      after = last;
    }
    for (const id of intents) {
      const account = call.charges === 'direct' ? ledger : platform;
      const intent = yield* retrieveIntent(call, account, id);
      const marks = intent && paymentMarks(intent.metadata);
      if (marks?.installation === installation) found.add(marks.paymentId);
    }
    return ok({ paymentIds: [...found], ...(at !== undefined && { at }) });
  });
}

/** Our own refunds name the payment; the intents of the others must be read. */
function note(
  { metadata, payment_intent }: Refund,
  installation: string,
  found: Set<string>,
  intents: Set<string>,
): void {
  const paymentId = metadata?.[markNames.payment];
  if (paymentId === undefined) {
    if (payment_intent && /^pi_\w{1,200}$/.test(payment_intent)) intents.add(payment_intent);
  } else if (metadata?.[markNames.installation] === installation) found.add(paymentId);
}
