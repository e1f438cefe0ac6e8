import type { Planted } from '../bugs/planted-bug.ts';

const bug = (name: string, file: string, find: string, replace: string): Planted => ({
  name,
  edits: [{ file: `core/${file}`, find, replace }],
});

/** Each bound of D208 left out. */
export const shareBugs: readonly Planted[] = [
  bug(
    'roomOfTargetNotBounded',
    'share/share-payment.ts',
    'const bound = isBounded && !leavesExcess ? { maxCommittedMinor: visit.amountDueMinor } : {};',
    'const bound = {};',
  ),
  bug(
    'sumNotCompared',
    'share/share-payment.ts',
    'return isWhole ? ok(parts)',
    'return true ? ok(parts)',
  ),
  bug(
    'sharedAtAnyVersion',
    'share/share-payment.ts',
    'touchPayment(ports, shared,',
    'touchPayment(ports, { ...(await ports.store.payments.get(payment.id)).value, shares: after },',
  ),
  bug('sharedTwiceForOneKey', 'share/share-payment.ts', 'claimEndedKey(ports, use, id),', ''),
  bug(
    'tipsStay',
    'share/share-payment.ts',
    'moves.push({ ...move, ...bound });',
    'moves.push({ ...move, tipsMinor: 0n, ...bound });',
  ),
  bug(
    'othersNotReserved',
    'payment/write.ts',
    'of sharesOf(payment)) {',
    'of sharesOf(payment).slice(0, reserved ? 1 : undefined)) {',
  ),
  bug(
    'othersReservedBeyondDue',
    'payment/reserving.ts',
    'dues.set(appointmentId, other.amountDueMinor);',
    '',
  ),
  bug(
    'othersNotCompared',
    'payment/dues.ts',
    'for (const { appointmentId, ...other } of dues.others ?? []) {',
    'for (const { appointmentId, ...other } of []) {',
  ),
  bug(
    'namedShareNotBounded',
    'refund/refund-payment.ts',
    'const left = shares && partsOfShares(shares);',
    'const left = undefined;',
  ),
  bug(
    'refundedPartsNotSubtracted',
    'share/shares-of.ts',
    'refunds.filter(isCounted)) {',
    'refunds.filter(() => false)) {',
  ),
  bug(
    'disputedPartsNotSubtracted',
    'share/shares-of.ts',
    'for (const dispute of disputes) {',
    'for (const dispute of disputes.slice(1)) {',
  ),
  bug(
    'refundNotInProportion',
    'share/share.ts',
    'parts.map((part) => part.amountMinor - part.tipMinor),',
    'parts.map(() => 1n),',
  ),
  bug(
    'tipAloneNotBounded',
    'payment/reserving.ts',
    ': await tipBounds(ports, payment);',
    ': ok(new Map());',
  ),
  bug(
    'captureNotInStatement',
    'payment/write.ts',
    '...captureEntries(before, after, correctedAt),',
    '',
  ),
  bug(
    'returnsNotInStatement',
    'refund/carry-refund.ts',
    'if (parts === undefined) return [moved];',
    'return [moved];',
  ),
];
