import { minuteMs } from '@chairside/core';
import { type Commit, keyRetentionMs } from '@chairside/core/ports';
import type { Claim, Evidence } from '../check/evidence.ts';
import { entryOf, type Gate } from './gate.ts';

/** Follows which keys were claimed, withdrawn and forgotten, and says what was forgotten too early. */
export async function watchKeys(gate: Gate, action: number, { changes }: Commit): Promise<void> {
  const { evidence, scheduler } = gate;
  const moment = scheduler.nextMoment();
  // The processor proved that it opened none of these payments, so their keys are new again (D20).
  const withdrawn = new Set(
    changes.flatMap((change) => {
      if (change.kind === 'deletePayment' && !evidence.closed.has(change.id)) return [change.id];
      if (change.kind === 'deleteRefund') return [change.id];
      const isUnsettled =
        change.kind === 'deleteSetup' && evidence.setups.get(change.id)?.stored.work !== undefined;
      return isUnsettled ? [change.id] : [];
    }),
  );
  for (const change of changes) {
    if (change.kind === 'insertKey') {
      const at = scheduler.clock.now();
      evidence.claims.push({ action, moment, at, record: change.record });
    }
    if (change.kind === 'deleteKeys') {
      for (const claim of evidence.claims) {
        if (claim.record.resourceId !== change.resourceId || claim.gone !== undefined) continue;
        claim.gone = moment;
        claim.isForgotten = !withdrawn.has(change.resourceId);
        if (claim.isForgotten) checkClaim(gate, claim);
      }
      if (!withdrawn.has(change.resourceId)) await checkRetention(gate, change.resourceId);
    }
    if (change.kind === 'forget') {
      for (const claim of evidence.claims) {
        const { forgetAt = Number.POSITIVE_INFINITY } = claim.record;
        if (claim.gone !== undefined || forgetAt > change.now) continue;
        claim.gone = moment;
        claim.isForgotten = true;
      }
    }
  }
}

/** A process may stand still between the reading of its clock and the write. */
const standstillMs = 3 * minuteMs;

/** The first response of a key comes after its claim, also if another key captured the payment. */
function checkClaim(
  { evidence, scheduler }: Gate,
  { at, record: { key, resourceId = '' } }: Claim,
): void {
  if (!evidence.begun.has(resourceId)) return;
  const keptMs = scheduler.clock.now() - at;
  checkKept(evidence, key, keptMs, keyRetentionMs - standstillMs);
}

/**
 * The keys of a payment are kept from when the processor shows that it ended (D21, D42). The keys of a
 * refund are kept from when its last state was recorded (D44).
 */
async function checkRetention({ evidence, scheduler, world }: Gate, id: string): Promise<void> {
  const refund = evidence.refunds.get(id);
  if (refund !== undefined) {
    const since = refund.movedAt ?? refund.acceptedAt ?? refund.begunAt;
    const keptMs = scheduler.clock.now() - since;
    checkKept(evidence, id, keptMs, keyRetentionMs - standstillMs);
    return;
  }
  const entry = await entryOf({ world }, id);
  const endedAt = entry?.history.findLast(({ what }) => ends.has(what))?.at;
  // The keys of a closed one count from its closing, which the processor does not know.
  const payment = evidence.closed.has(id) ? undefined : evidence.begun.get(id);
  if (entry === undefined || endedAt === undefined || payment === undefined) return;
  checkKept(evidence, id, scheduler.clock.now() - endedAt, keyRetentionMs);
}

function checkKept({ faults }: Evidence, of: string, keptMs: number, promisedMs: number): void {
  if (keptMs >= promisedMs) return;
  faults.push({ rule: 'retention', what: `the keys of ${of} were kept for ${keptMs} ms` });
}

const ends: ReadonlySet<string> = new Set([
  'captured',
  'canceled',
  'canceledAtTerminal',
  'expired',
]);
