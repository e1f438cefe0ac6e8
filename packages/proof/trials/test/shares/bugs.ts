import type { Edit, Planted } from '../bugs/planted-bug.ts';

const edit = (file: string, find: string, replace: string): Edit => ({
  file: `core/${file}`,
  find,
  replace,
});

/** A bug of shares, with the first seed that finds it. */
interface ShareBug extends Planted {
  readonly seed: number;
}

const bug = (name: string, seed: number, ...edits: readonly Edit[]): ShareBug => ({
  name,
  seed,
  edits,
});

/** Each bound of D208 left out. */
export const shareBugs: readonly ShareBug[] = [
  bug(
    'roomOfTargetNotBounded',
    2,
    edit(
      'share/share-payment.ts',
      'const bound = isBounded && !leavesExcess ? { maxCommittedMinor: visit.amountDueMinor } : {};',
      'const bound = {};',
    ),
  ),
  bug(
    'sumNotCompared',
    2,
    edit(
      'share/share-payment.ts',
      'return isWhole && whole.amountMinor > 0n ? ok(parts)',
      'return true ? ok(parts)',
    ),
  ),
  bug(
    'sharedAtAnyVersion',
    4,
    edit(
      'share/share-payment.ts',
      'touchPayment({ ...payment, shares: after }',
      'touchPayment({ ...(await ports.store.payments.get(payment.id)).value, shares: after }',
    ),
  ),
  bug(
    'sharedTwiceForOneKey',
    3,
    edit('share/share-payment.ts', 'claimEndedKey(ports, use, id),', ''),
  ),
  bug(
    'tipsStay',
    2,
    edit(
      'share/share-payment.ts',
      'const tipsMinor = (tips.get(id) ?? 0n) - (tipped.get(id) ?? 0n);',
      'const tipsMinor = 0n;',
    ),
  ),
  bug(
    'othersNotReserved',
    3,
    edit(
      'payment/write.ts',
      'reserved: payment.reserved ? owed : nothing,',
      'reserved: payment.reserved ? new Map([...owed].slice(0, 1)) : nothing,',
    ),
  ),
  bug(
    'othersReservedBeyondDue',
    8,
    edit('payment/reserving.ts', 'dues.set(appointmentId, other.amountDueMinor);', ''),
  ),
  bug(
    'othersNotCompared',
    3,
    edit(
      'payment/dues.ts',
      'for (const { appointmentId, ...other } of dues.others ?? []) {',
      'for (const { appointmentId, ...other } of []) {',
    ),
  ),
  bug(
    'namedShareNotBounded',
    1,
    edit(
      'refund/refund-payment.ts',
      'const left = shares && partsOfShares(shares);',
      'const left = undefined;',
    ),
  ),
  bug(
    'refundedPartsNotSubtracted',
    1,
    edit('share/shares-of.ts', 'refunds.filter(isCounted)) {', 'refunds.filter(() => false)) {'),
  ),
  bug(
    'disputedPartsNotSubtracted',
    10,
    edit(
      'share/shares-of.ts',
      'for (const dispute of disputes) {',
      'for (const dispute of disputes.slice(1)) {',
    ),
  ),
  bug(
    'refundNotInProportion',
    4,
    edit(
      'share/share.ts',
      'parts.map((part) => part.amountMinor - part.tipMinor),',
      'parts.map(() => 1n),',
    ),
  ),
  bug(
    'tipAloneNotBounded',
    53,
    edit('payment/reserving.ts', ': await tipBounds(ports, payment);', ': ok(new Map());'),
  ),
  bug(
    'captureNotInStatement',
    1,
    edit('payment/write.ts', '...captureEntries(before, after, correctedAt),', ''),
  ),
  bug(
    'returnsNotInStatement',
    1,
    edit('refund/carry-refund.ts', 'if (parts === undefined) return [moved];', 'return [moved];'),
  ),
];
