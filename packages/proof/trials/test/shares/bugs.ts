import type { Edit, Planted } from '../bugs/planted-bug.ts';

const edit = (file: string, find: string, replace: string): Edit => ({
  file: `core/${file}`,
  find,
  replace,
});

const bug = (name: string, ...edits: readonly Edit[]): Planted => ({ name, edits });

/** Each bound of D208 left out. */
export const shareBugs: readonly Planted[] = [
  bug(
    'roomOfTargetNotBounded',
    edit(
      'share/share-payment.ts',
      'const bound = isBounded && !leavesExcess ? { maxCommittedMinor: visit.amountDueMinor } : {};',
      'const bound = {};',
    ),
  ),
  bug(
    'sumNotCompared',
    edit(
      'share/share-payment.ts',
      'return isWhole && whole.amountMinor > 0n ? ok(parts)',
      'return true ? ok(parts)',
    ),
  ),
  bug(
    'sharedAtAnyVersion',
    edit(
      'share/share-payment.ts',
      'touchPayment(shared,',
      'touchPayment({ ...(await ports.store.payments.get(payment.id)).value, shares: after },',
    ),
  ),
  bug('sharedTwiceForOneKey', edit('share/share-payment.ts', 'claimEndedKey(ports, use, id),', '')),
  bug(
    'tipsStay',
    edit(
      'share/share-payment.ts',
      'const tipsMinor = (tips.get(id) ?? 0n) - (tipped.get(id) ?? 0n);',
      'const tipsMinor = 0n;',
    ),
  ),
  bug(
    'othersNotReserved',
    edit(
      'payment/write.ts',
      'reserved: payment.reserved ? owed : nothing,',
      'reserved: payment.reserved ? new Map([...owed].slice(0, 1)) : nothing,',
    ),
  ),
  bug(
    'othersReservedBeyondDue',
    edit('payment/reserving.ts', 'dues.set(appointmentId, other.amountDueMinor);', ''),
  ),
  bug(
    'othersNotCompared',
    edit(
      'payment/dues.ts',
      'for (const { appointmentId, ...other } of dues.others ?? []) {',
      'for (const { appointmentId, ...other } of []) {',
    ),
  ),
  bug(
    'namedShareNotBounded',
    edit(
      'refund/refund-payment.ts',
      'const left = shares && partsOfShares(shares);',
      'const left = undefined;',
    ),
  ),
  bug(
    'refundedPartsNotSubtracted',
    edit('share/shares-of.ts', 'refunds.filter(isCounted)) {', 'refunds.filter(() => false)) {'),
  ),
  bug(
    'disputedPartsNotSubtracted',
    edit(
      'share/shares-of.ts',
      'for (const dispute of disputes) {',
      'for (const dispute of disputes.slice(1)) {',
    ),
  ),
  bug(
    'refundNotInProportion',
    edit(
      'share/share.ts',
      'parts.map((part) => part.amountMinor - part.tipMinor),',
      'parts.map(() => 1n),',
    ),
  ),
  bug(
    'tipAloneNotBounded',
    edit('payment/reserving.ts', ': await tipBounds(ports, payment);', ': ok(new Map());'),
  ),
  bug(
    'captureNotInStatement',
    edit('payment/write.ts', '...captureEntries(before, after, correctedAt),', ''),
  ),
  bug(
    'returnsNotInStatement',
    edit('refund/carry-refund.ts', 'if (parts === undefined) return [moved];', 'return [moved];'),
  ),
];
