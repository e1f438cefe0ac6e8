import type { Change } from '@chairside/core/ports';
import { applyChange } from '../../src/store/map/changes.ts';
import { keyOf, pair } from '../../src/store/map/names.ts';
import type { Tables } from '../../src/store/map/tables.ts';

/** Applies a change whether or not its condition holds, as a statement without a WHERE does. */
export function applyBlindly(tables: Tables, change: Change): boolean {
  return applyChange(tables, change) || force(tables, change);
}

function force(tables: Tables, change: Change): boolean {
  switch (change.kind) {
    case 'insertKey':
      return tables.keys.put(pair(change.record.subject, change.record.key), change.record);
    case 'finishKey': {
      const id = pair(change.subject, change.key);
      const record = tables.keys.get(id);
      return record === undefined || tables.keys.put(id, { ...record, problem: change.problem });
    }
    case 'insertPayment':
    case 'updatePayment':
      return tables.payments.put(change.payment.id, change.payment);
    case 'moveLedger': {
      const { maxOpenPayments: _open, maxCommittedMinor: _committed, ...move } = change;
      return applyChange(tables, move);
    }
    case 'appendEvent':
      tables.events.remove(keyOf(change.event));
      return applyChange(tables, change);
    case 'leaseEvent':
    case 'postponeEvent':
    case 'removeEvent':
    case 'reviveEvent':
      return forceEvent(tables, change);
    case 'insertProcessorEvent':
      return true;
    case 'insertReview':
    case 'updateReview':
      return tables.reviews.put(change.review.id, change.review);
    case 'insertSetup':
    case 'updateSetup':
      return tables.setups.put(change.setup.id, change.setup);
    case 'insertRefund':
    case 'updateRefund':
      return tables.refunds.put(change.refund.id, change.refund);
    case 'deleteRefund':
      return tables.refunds.remove(change.id) || true;
    case 'insertDispute':
    case 'updateDispute':
      return tables.disputes.put(change.dispute.id, change.dispute);
    case 'insertActor':
      return tables.actors.put(`${change.actor.number}`, change.actor);
    case 'insertTerminal':
      return tables.terminals.put(change.terminal.id, change.terminal);
    case 'deletePayment':
      return tables.payments.remove(change.id) || true;
    case 'deleteSetup':
      return tables.setups.remove(change.id) || true;
    case 'deleteTerminal':
      return true;
    case 'deleteFinancialAccount':
      return tables.financialAccounts.remove(change.id) || true;
    case 'deleteSchedule':
      return tables.schedules.remove(change.id) || true;
    default:
      return true;
  }
}

type EventChange = Extract<
  Change,
  { kind: 'leaseEvent' | 'postponeEvent' | 'removeEvent' | 'reviveEvent' }
>;

function forceEvent(tables: Tables, change: EventChange): boolean {
  const stored = tables.events.get(keyOf(change));
  if (stored === undefined) return true;
  const { event } = stored;
  const attempts = change.kind === 'leaseEvent' ? stored.attempts + 1 : stored.attempts;
  if (change.kind === 'removeEvent') return tables.events.remove(keyOf(change));
  const { deliverAt } = change;
  return tables.events.put(keyOf(event), {
    event,
    attempts,
    isDead: deliverAt === undefined,
    ...(deliverAt !== undefined && { deliverAt }),
  });
}
