import type { Rule } from '@chairside/trials';
import type { Edit, PlantedBug } from './planted-bug.ts';

interface Row extends Omit<PlantedBug, 'breaks'> {
  edit(file: string, find: string, replace: string): Row;
}

const bug = (name: string, by: string, edits: readonly Edit[] = []): Row => ({
  name,
  by,
  edits,
  edit: (file, find, replace) => bug(name, by, [...edits, { file, find, replace }]),
});

/** The promises, each with the mistakes that break it. Another mistake joins only where none of these shows the same. */
const rows: Readonly<Record<Rule, readonly [Row, ...Row[]]>> = {
  charged: [
    bug('idOfAnother', 'reused').edit(
      'core/payment/find.ts',
      'if (other !== undefined && other !== customerId && !isSameDay) others.add(other);',
      '',
    ),
    bug('otherWorldServed', 'intruded').edit(
      'core/frame/perform.ts',
      'return isOther ? err(otherWorld(stored, own)) : ok(read.value);',
      'return ok(read.value);',
    ),
    bug('takenBeforeItIsRestored', 'packages/proof/trials/test/restored.spec.ts').edit(
      'core/payment/restored.ts',
      'if (restoration === undefined || restoration.read.has(books)) return;',
      'return;',
    ),
    bug('sweepBegunAgain', 'packages/proof/spec/test/foreignObjects.spec.ts').edit(
      'core/upkeep/sweep-list.ts',
      'let pass: ListPass = begun ?? { before: until };',
      'let pass: ListPass = { before: begun?.before ?? until };',
    ),
    bug('noReservation', 'seed 1').edit(
      'core/payment/reserving.ts',
      'reserved, bounds.value)',
      'reserved)',
    ),
    bug('cancelDoesNotExcludeCapture', 'tipWhileLowered, 3.updatePayment stallsAfter').edit(
      'core/payment/capture.ts',
      "work?.kind === 'cancel' ? await",
      "work?.kind === 'none' ? await",
    ),
    bug('duesComparedBeforeTheFirstSendOnly', 'loweredWhileUnknown').edit(
      'core/payment/capture.ts',
      'const undue = undueVisit(payment, dues.value);',
      'const undue = payment.checks === 0 ? undueVisit(payment, dues.value) : undefined;',
    ),
    bug('cashBesideACapture', 'cashAtOnce, 3.appointments.get stallsAfter').edit(
      'core/tender/record-tender.ts',
      'countTender(tender, amountMinor, appointment.amountDueMinor)',
      'countTender(tender, amountMinor)',
    ),
    bug('feeChargedByTwoDesks', 'feeOfTwoDesks').edit(
      'core/charge/charge-payment-method.ts',
      "...slotChange(payment, 'claim'),",
      "...(payment.charge?.purpose === 'noShow' ? [] : slotChange(payment, 'claim')),",
    ),
    bug(
      'alteredWhileReserved',
      'alteredLate, 2.updatePayment moveLedger appendEvent insertKey crashesAfter',
    ).edit('core/payment/capture.ts', 'if (!isSame(payment, before))', 'if (false)'),
  ],
  currency: [
    bug('neitherReservedNorCompared', 'moved')
      .edit('core/payment/reserving.ts', 'reserved, bounds.value)', 'reserved)')
      .edit(
        'core/payment/capture.ts',
        'const undue = undueVisit(payment, dues.value);',
        'const undue = undefined;',
      ),
  ],
  refunded: [
    bug('excessInAnyCurrency', 'excessInDollars').edit(
      'core/refund/refund-excess.ts',
      'sumIn(currency, left)',
      "sumIn(left[0]?.currency ?? '', left)",
    ),
    bug('oldRefundSentAgain', 'packages/proof/spec/test/refundPayment.spec.ts').edit(
      'core/refund/carry-refund.ts',
      '18 * hourMs',
      '23 * hourMs',
    ),
    bug(
      'refundNotReserved',
      'refundedInParts, 3.insertKey insertRefund updatePayment crashesAfter',
    ).edit(
      'core/refund/returns.ts',
      'const refunded = refundedMinor(refunds, currency) ?? capturedMinor;',
      'const refunded = refundedMinor(refunds.filter((refund) => refund.work === undefined), currency) ?? 0n;',
    ),
    bug('tenderReturnedTwice', 'cashBack, 2.actors.getBySubject stallsAfter')
      .edit(
        'core/tender/return-tender.ts',
        `    { kind: 'insertTender', tender },
    ...changes,`,
        `    { kind: 'insertTender', tender },
    ...changes.map((change) => {
      if (change.kind === 'appendEvent') change.event.version = latest.version + 1;
      return change.kind === 'updateTender' ? { ...change, expectedVersion: latest.version } : change;
    }),`,
      )
      .edit(
        'core/tender/return-tender.ts',
        `  yield* await commit(ports, [
    claimEndedKey`,
        `  const latest = (await ports.store.tenders.get(tenderId)).value;
  yield* await commit(ports, [
    claimEndedKey`,
      ),
    bug('moreReturnedThanTaken', 'cashBack').edit(
      'core/tender/return-tender.ts',
      'if (askedMinor > 0n && askedMinor <= leftMinor)',
      'if (askedMinor > 0n)',
    ),
    bug('cashForACardTwice', 'cashForCard, 3.listRefunds notSetUp').edit(
      'core/tender/return-tender.ts',
      'changes: [...touched.changes, tenderEvent(tender, payment.id, touched.after.version)]',
      'changes: [tenderEvent(tender, tender.id, 1)]',
    ),
    bug('cashByOurRecordsAlone', 'packages/proof/spec/test/tenders.spec.ts').edit(
      'core/tender/return-tender.ts',
      "if (there.isErr() && there.error.kind !== 'notSetUp') return",
      'if (false) return',
    ),
    bug('excessGivenTwice', 'seed 44').edit(
      'core/refund/refund-excess.ts',
      `    ...touched,
  ]);`,
      '  ]);',
    ),
  ],
  durable: [
    bug('flushedLater', 'packages/sqlite/test/open.test.ts').edit(
      'sqlite/pragmas.ts',
      'const full = 2;',
      'const full = 1;',
    ),
    bug('removalTakenForDone', 'registering, 3.terminals.get stallsAfter').edit(
      'core/frame/commit.ts',
      'return result;',
      "return changes[0]?.kind === 'deleteTerminal' && result.isErr() && result.error.kind === 'storeConflict' ? ok() : result;",
    ),
  ],
  agree: [
    bug('accountOfTheMorningForgotten', 'accountOfTheMorning').edit(
      'core/statement/read-day.ts',
      'return [...present, ...(earlierAccounts ?? [])].map(',
      'return present.map(',
    ),
    bug('attemptRaisedTooEarly', 'visit, 0.openPayment landsLater').edit(
      'core/payment/opening.ts',
      'leftUnknown(error.answered)',
      'leftUnknown(true)',
    ),
    bug('ledgerNotMovedByOthers', 'seed 44').edit(
      'core/payment/write.ts',
      '...ledgerMoves(before, after, bounds),',
      '...(before.reserved || capturedMinor === 0n ? ledgerMoves(before, after, bounds) : []),',
    ),
    bug('strayOpeningKnown', 'depositLowered, 3.authorizeMethod landsLater').edit(
      'core/upkeep/sweep-list.ts',
      "reference === undefined ? state !== 'canceled' :",
      'reference === undefined ? true :',
    ),
    bug('wrongWordKept', 'seed 180').edit(
      'core/payment/follow.ts',
      'if (cause !== byWord && endedByWordAt(payment) === undefined) {',
      "if (payment.state === 'captured') {",
    ),
    bug('refundLostAtMidnight', 'seed 11').edit(
      'core/statement/read-day.ts',
      'store.movements.list(id, span, limit),',
      'store.movements.list(id, { ...span, from: span.from + 3_600_000 }, limit),',
    ),
    bug('captureTimeNotStated', 'visit, 2.capturePayment stallsAfter').edit(
      'stripe/entry.ts',
      'return at === undefined ? {} : { capturedAt: at };',
      'return {};',
    ),
  ],
  sameKey: [
    bug('fingerprintWithoutPath', 'seed 2').edit(
      'core/frame/idempotency.ts',
      'canonicalJson([operation, pathId, body])',
      'canonicalJson([operation, body])',
    ),
    bug('answerFromTheCurrentState', 'visit').edit(
      'core/payment/create.ts',
      'if (isOpened(payment)) return ok(viewOpening(payment));',
      'if (isOpened(payment)) return ok({ ...viewOpening(payment), state: payment.state });',
    ),
    bug('noReferenceCheck', 'seed 21').edit(
      'core/payment/capture.ts',
      'readAtProcessor(ports, payment, reference)',
      'readAtProcessor(ports, payment)',
    ),
    bug('tenderOfOneKeyTwice', 'cashThenCard').edit(
      'core/tender/record-tender.ts',
      '    claimEndedKey(ports, use, tender.id),\n',
      '',
    ),
    bug('erasedBeforeItIsSettled', 'seed 1').edit(
      'core/erase/erase-customer.ts',
      'const isSettled = isErased(payment);',
      'const isSettled = true;',
    ),
  ],
  retention: [
    bug('keysForgottenByTheNodeClock', 'keysOfAClockAhead').edit(
      'core/settings.ts',
      'sharedClock: createSharedClock(store, { clock, background }),',
      'sharedClock: undefined,',
    ),
    bug('repeatedKeyKeptFromTheCapture', 'seed 16').edit(
      'core/payment/capture.ts',
      'if (keysKeptUntil(payment) >= forgetAt) return [claim];',
      'if (claim) return [claim];',
    ),
    bug('refundKeysKeptFromAcceptance', 'seed 60').edit(
      'core/refund/refund.ts',
      `{ updatedAt }: Refund): EpochMs {
  return updatedAt +`,
      `{ updatedAt, acceptedAt = updatedAt }: Refund): EpochMs {
  return acceptedAt +`,
    ),
  ],
  truthful: [
    bug('firstCallForgotten', 'openedUnheard, 9.openPayment fails').edit(
      'core/payment/opening.ts',
      'isFirstCall: record.work.fence === 1, before }',
      'isFirstCall: true, before }',
    ),
    bug('notAppliedAfterDone', 'declinedThenCaptured').edit(
      'core/payment/find.ts',
      'return isDone(payment.value) || !isOver;',
      'return !isDone(payment.value) && !isOver;',
    ),
    bug('setupBegunAgain', 'preparing, 4.insertSetup stallsAfter').edit(
      'core/setup/prepare.ts',
      'const setupId = use === undefined ? begun.id : claimed?.resourceId;',
      'const setupId = claimed?.resourceId;',
    ),
    bug('setupNotReadBeforeItIsWithdrawn', 'openedUnheard, 9.openPayment notSetUp').edit(
      'core/payment/opening.ts',
      'didNothing(error) && isFirstCall)',
      "(isFirstCall ? didNothing(error) : error.kind === 'rejected' || error.kind === 'notSetUp'))",
    ),
    bug('absentTakenForCanceled', 'repriced, 4.cancelPayment missing').edit(
      'core/payment/cancel.ts',
      'if (sent.value === undefined && payment.reserved)',
      'if (false)',
    ),
    bug('refundWithdrawnUnread', 'refundedInParts, 3.refund losesReply').edit(
      'core/refund/carry-refund.ts',
      'if (didNothing(error) && isFirstCall && isAlone) return',
      'if (isFirstCall && isAlone) return',
    ),
    bug('unknownRefundTakenForFailed', 'refundedInParts, 4.refund landsLater').edit(
      'core/refund/carry-refund.ts',
      `return error.kind === 'rejected'
    ?`,
      `return error.kind !== 'notSetUp'
    ?`,
    ),
  ],
  secret: [
    bug('tokenObserved', 'registering').edit(
      'core/terminal/operations.ts',
      '  return { clientSecret };',
      `  ports.observe?.({ kind: 'failure', name: clientSecret, outcome: 'made', durationMs: 0 });
  return { clientSecret };`,
    ),
  ],
  problems: [
    bug('throwsOnBrokenJson', 'packages/proof/trials/test/fuzz.spec.ts').edit(
      'h3/json.ts',
      "return malformed('The body is not JSON in UTF-8.');",
      "throw new Error('not JSON');",
    ),
  ],
  ends: [
    bug('noFencing', 'visit, 2.updatePayment moveLedger appendEvent insertKey stallsAfter').edit(
      'core/payment/write.ts',
      'if (stored.value?.work?.fence !== payment.work.fence)',
      'if (stored.value === undefined)',
    ),
    bug('attemptNeverRaised', 'visit, 2.capturePayment breaks').edit(
      'core/payment/write.ts',
      'const work = giveUp(payment.work, now, needsNewKey);',
      'const work = giveUp(payment.work, now);',
    ),
  ],
  events: [
    bug('versionLoadedAfterwards', 'secondCard, 2.readPayment stallsAfter').edit(
      'core/event/receive.ts',
      `  const moved = followBooks(payment, seen, ports.clock.now(), 'processorEvent');
  const isNews = moved.passed.length > 0 || moved.payment.review !== payment.review;
  if (!isNews) return { after: payment, changes: [], isForeign: false };
  return yield* await compareForeign(ports, payment, moved);`,
      `  const later = yield* await ports.store.payments.get(payment.id);
  const moved = followBooks(later, seen, ports.clock.now(), 'processorEvent');
  const isNews = moved.passed.length > 0;
  if (!isNews) return { after: later, changes: [], isForeign: false };
  return yield* await compareForeign(ports, later, moved);`,
    ),
    bug('messageNotNoted', 'seed 1').edit(
      'core/event/receive.ts',
      '[...changes, ...ended, noted]',
      "[...changes, ...ended, { ...noted, id: ports.ids.next('prb') }]",
    ),
  ],
  orphans: [
    bug('unknownTakenForWritten', 'preparedTwice, 0.insertKey insertSetup vanishes').edit(
      'core/frame/commit.ts',
      'if (written.isOk() && written.value) result = ok();',
      'if (written.isOk()) result = ok();',
    ),
    bug('orphanReviewLost', 'packages/proof/spec/test/upkeep.spec.ts').edit(
      'core/upkeep/sweep.ts',
      '[...opened, ...recorded, {',
      '[...recorded, {',
    ),
  ],
  review: [
    bug('reservationReleasedBySecondKey', 'lowered, 2.appointments.get stallsAfter').edit(
      'core/payment/reserving.ts',
      'payment: beginCapture(stored, work, { at',
      'payment: beginCapture({ ...stored, reserved: false }, work, { at',
    ),
  ],
  canceled: [
    bug('reaperDoesNotLook', 'seed 5').edit(
      'core/payment/cancel.ts',
      `if (seen !== undefined && mayBeKept(payment, seen, at)) return { next: 'keep', seen };
`,
      '',
    ),
    bug('nodeClockDecides', 'clockAhead')
      .edit('core/payment/carry.ts', 'if (seen?.at !== undefined) return ok(seen.at);', '')
      .edit(
        'core/payment/carry.ts',
        'return isFar || ports.store.now === undefined ? ok(now) : ports.store.now();',
        'return ok(now);',
      )
      .edit(
        'core/settings.ts',
        'sharedClock: createSharedClock(store, { clock, background }),',
        'sharedClock: undefined,',
      ),
    bug('oddMemberDropsTheCard', 'seed 2').edit(
      'stripe/shapes.ts',
      'last4: own(v.pipe(v.string(), v.regex(/^\\d{4}$/))),',
      'last4: v.pipe(v.string(), v.regex(/^\\d{4}$/)),',
    ),
  ],
  calls: [
    bug('dueByTheNodeClock', 'seed 1').edit(
      'core/settings.ts',
      'sharedClock: createSharedClock(store, { clock, background }),',
      'sharedClock: undefined,',
    ),
    bug('keysKeptByTheWriterClock', 'seed 6')
      .edit(
        'core/payment/payment.ts',
        'Math.max(updatedAt, capturedAt, lastAt)',
        'Math.max(updatedAt, lastAt)',
      )
      .edit(
        'core/settings.ts',
        'sharedClock: createSharedClock(store, { clock, background }),',
        'sharedClock: undefined,',
      ),
    bug('refundKeyOfTheFence', 'refundedInParts, 3.refund vanishes').edit(
      'core/refund/carry-refund.ts',
      "idempotencyKey: processorKey(refund, 'refund'),",
      "idempotencyKey: [processorKey(refund, 'refund'), refund.work.fence].join(':'),",
    ),
    bug('tipLostInARetry', 'tipOpened, 0.openPayment crashesAfter').edit(
      'core/payment/opening.ts',
      '...(payment.tipMinor !== undefined && {',
      '...(payment.tipMinor !== undefined && payment.work.fence === 1 && {',
    ),
  ],
  leases: [
    bug('leaseNotGivenUp', 'visit, 0.openPayment vanishes').edit(
      'core/payment/write.ts',
      'const work = giveUp(payment.work, now, needsNewKey);',
      'const work = payment.work;',
    ),
    bug(
      'refundLeaseNotChecked',
      'refundedElsewhere, 6.insertKey insertRefund updatePayment crashesAfter',
    ).edit(
      'core/payment/carry.ts',
      'return taken.isOk() ? hold(ports, record, taken.value) : err(taken.error);',
      `const stolen = { ...before, fence: before.fence + 1, leaseUntil: ports.clock.now() + 45_000 };
  if (taken.isErr() && record.id.startsWith('rfd_')) return hold(ports, record, stolen);
  return taken.isOk() ? hold(ports, record, taken.value) : err(taken.error);`,
    ),
  ],
  bound: [
    bug('boundNotAtomic', 'crowded').edit(
      'core/payment/create.ts',
      'await commit(ports, claimPayment(ports, use, payment));',
      `await commit(ports, claimPayment(ports, use, payment).map((change) =>
    change.kind === 'moveLedger' && ledger.value.openPayments < maxOpenPayments
      ? { ...change, maxOpenPayments: maxOpenPayments * 2 }
      : change));`,
    ),
  ],
  setups: [
    bug('setupKeyOfTheFence', 'seed 44').edit(
      'core/setup/carry-setup.ts',
      "idempotencyKey: processorKey(setup, 'open'),",
      "idempotencyKey: [processorKey(setup, 'open'), setup.work.fence].join(':'),",
    ),
    bug(
      'setupFirstCallForgotten',
      'preparingAgain, 0.openSetup crashesAfter, 3.openSetup fails',
    ).edit(
      'core/payment/opening.ts',
      'isFirstCall: record.work.fence === 1, before }',
      "isFirstCall: 'customerId' in record || record.work.fence === 1, before }",
    ),
  ],
  terminals: [
    bug('deviceRegisteredTwice', 'registering').edit(
      'core/terminal/operations.ts',
      `      ...device,
      barberId,`,
      `    ...device,
    deviceIdentifier: [device.deviceIdentifier, barberId].join(' of '),
    barberId,`,
    ),
  ],
  erased: [
    bug('mergedNotErased', 'merged').edit(
      'core/erase/erase-customer.ts',
      'const customerIds = yield* allIdsOf(ports.store, customerId);',
      'const customerIds = [customerId];',
    ),
    bug('openSetupErased', 'seed 4').edit(
      'core/erase/erase-customer.ts',
      'return outcome !== undefined || (work === undefined && clientSecret === undefined);',
      'return true;',
    ),
  ],
  access: [
    bug('replayWithoutAuthorisation', 'seed 26').edit(
      'core/payment/capture.ts',
      'if (allowed.isErr()) return',
      'if (allowed.isErr() && known.isOk() && known.value === undefined) return',
    ),
    bug('otherBusinessLetIn', 'moved').edit(
      'core/payment/find.ts',
      'found?.barber?.id === barberId && found.businessId === businessId',
      'found?.barber?.id === barberId',
    ),
    bug('copiedMarksRestored', 'packages/proof/spec/test/restored.spec.ts').edit(
      'core/upkeep/restore.ts',
      'return ownAccounts(business).includes(account);',
      'return business !== undefined;',
    ),
  ],
};

export const plantedBugs: readonly PlantedBug[] = Object.entries(rows).flatMap(
  ([breaks, ofPromise]) => ofPromise.map(({ name, by, edits }) => ({ name, by, edits, breaks })),
);

/** Those that a run of the simulation finds. The others name a test file, which `pnpm trial bugs` runs. */
export const simulatedBugs = plantedBugs.filter(({ by }) => !by.endsWith('.ts'));
