import { bug, type PlantedBug, stripeBug } from './planted-bug.ts';

/** Mistakes in giving money back, in disputes and in the platform's fee. */
export const plantedRefundBugs: readonly PlantedBug[] = [
  // Reservations
  bug(
    'refundNotGuarded',
    'operations/refunds/refundPayment.ts',
    "    { kind: 'insertRefund', refund },\n    ...changes,\n",
    "    { kind: 'insertRefund', refund },\n",
  ),
  bug(
    'refundNotReserved',
    'work/refunding/decide-refundable.ts',
    'capturedMinor - refundedMinor(refunds) - disputedMinor(disputes, returned);',
    'capturedMinor - refundedMinor(refunds.filter((refund) => refund.work === undefined)) - disputedMinor(disputes, returned);',
  ),
  bug(
    'disputesNotSubtracted',
    'work/refunding/decide-refundable.ts',
    'capturedMinor - refundedMinor(refunds) - disputedMinor(disputes, returned);',
    'capturedMinor - refundedMinor(refunds);',
  ),
  bug(
    'failedRefundNotGivenBack',
    'domain/refund.ts',
    "return state === 'pending' || state === 'succeeded';",
    "return state !== 'canceled';",
  ),
  bug(
    'wonDisputeWithheld',
    'domain/dispute.ts',
    "    .filter(({ state }) => state !== 'won')\n",
    '',
  ),

  // Keys, leases, attempts
  bug(
    'refundKeyOfTheFence',
    'work/refunding/refunding.ts',
    "idempotencyKey: processorKey(refund, 'refund'),",
    "idempotencyKey: [processorKey(refund, 'refund'), refund.work.fence].join(':'),",
  ),
  bug(
    'refundAttemptRaisedTooEarly',
    'work/refunding/decide-refunding.ts',
    ': leftUnknown(provesDead(error));',
    ': leftUnknown(true);',
  ),
  bug(
    'refundWithoutClaim',
    'operations/refunds/refundPayment.ts',
    '    claimKey(use, refund.id),\n',
    '',
  ),
  bug(
    'refundLeaseNotChecked',
    'work/carry.ts',
    'return taken.isOk() ? hold(ports, record, taken.value) : err(taken.error);',
    `const stolen = { ...before, fence: before.fence + 1, leaseUntil: ports.clock.now() + 45_000 };
  if (taken.isErr() && record.id.startsWith('rfd_')) return hold(ports, record, stolen);
  return taken.isOk() ? hold(ports, record, taken.value) : err(taken.error);`,
  ),
  bug(
    'refundAnsweredAsItStands',
    'schemas/views.ts',
    'return refundViewIn(refund, acceptedAs, acceptedAt);',
    'return refundViewIn(refund, refund.state, acceptedAt);',
  ),
  bug(
    'refundKeysForgottenEarly',
    'domain/refund.ts',
    'return updatedAt + keyRetentionMs;',
    'return updatedAt + keyRetentionMs / 2;',
  ),
  bug(
    'refundKeysKeptFromAcceptance',
    'domain/refund.ts',
    '{ updatedAt }: Refund): EpochMs {\n  return updatedAt +',
    '{ updatedAt, acceptedAt = updatedAt }: Refund): EpochMs {\n  return acceptedAt +',
  ),
  bug(
    'failedRefundSaidNotApplied',
    'call/outcome.ts',
    '(isCounted(refund.value) || wasAcknowledged(refund.value))',
    'isCounted(refund.value)',
  ),

  // Unknown outcomes
  bug(
    'refundWithdrawnUnread',
    'work/refunding/decide-refunding.ts',
    'if (didNothing(error) && isFirstCall) return',
    'if (isFirstCall) return',
  ),
  bug(
    'unknownRefundTakenForFailed',
    'work/refunding/decide-refunding.ts',
    "return error.kind === 'rejected'\n    ?",
    "return error.kind !== 'notSetUp'\n    ?",
  ),

  // Refunds that others see first
  bug(
    'refundCountedTwice',
    'work/refunding/follow-returned.ts',
    '(isOwn && !taken.has(own.id) ? own : undefined);',
    'undefined;',
  ),
  bug(
    'laterFailureIgnored',
    'domain/refund.ts',
    "refund.state === 'succeeded' && seen.state === 'pending' ?",
    "refund.state === 'succeeded' ?",
  ),
  bug(
    'refundsNeverSwept',
    'work/settling/sweep.ts',
    'if (refunds !== undefined) {',
    'if (false) {',
  ),
  // Objects of other systems (D51)
  {
    name: 'disputesNeverListed',
    edits: [
      {
        file: 'work/settling/sweep.ts',
        find: 'if (disputes !== undefined) {',
        replace: 'if (false) {',
      },
      {
        file: 'work/refunding/follow-returned.ts',
        find: 'disputes === undefined\n      ? ok([])',
        replace: 'disputes !== null\n      ? ok([])',
      },
    ],
  },
  stripeBug(
    'otherIdsStopAList',
    'shapes.ts',
    'data: v.array(v.unknown()),',
    'data: v.array(v.looseObject({ id: v.pipe(v.string(), v.regex(/^(re|dp|pi|seti|cus)_/)) })),',
  ),
  {
    name: 'cursorDropped',
    over: 'stripe',
    edits: [
      {
        file: 'work/settling/sweep-list.ts',
        find: 'let pass: ListPass = begun ?? { before: until };',
        replace: 'let pass: ListPass = { before: begun?.before ?? until };',
      },
    ],
  },
  {
    name: 'ownersReadOneByOne',
    edits: [
      {
        of: 'stripe',
        file: 'sweep-lists.ts',
        find: 'call.send((stripe, options) => stripe.refunds.list({ ...params, expand }, options), {',
        replace: `call.send(async (stripe, options) => {
  const { data, ...page } = await stripe.refunds.list(params, options);
  const owned = [];
  for (const item of data) {
    const { payment_intent: id } = item;
    const asked = typeof id === 'string' && id !== 'pi_unknown';
    const owner = asked ? await stripe.paymentIntents.retrieve(id, {}, options) : id;
    owned.push({ ...item, payment_intent: owner });
  }
  return { ...page, data: owned };
}, {`,
      },
      {
        of: 'stripe',
        file: 'ledger-list.ts',
        find: 'span(from, to), keep, pagesPerSlice);',
        replace: 'span(from, to), keep);',
      },
    ],
  },
  bug(
    'unreadableStopsAList',
    'work/settling/sweep-returned.ts',
    "if (followed.isOk()) return 'done';",
    'yield* followed;',
  ),
  {
    name: 'disputesByArrival',
    over: 'stripe',
    edits: [
      {
        file: 'domain/dispute.ts',
        find: 'if (isReopened || seenAt < dispute.seenAt) return undefined;',
        replace: 'if (seenAt < dispute.seenAt) return undefined;',
      },
      {
        file: 'domain/dispute.ts',
        find: 'if (seenAt === dispute.seenAt && seen.at',
        replace: 'if (false && seen.at',
      },
    ],
  },
  stripeBug(
    'shapeBeforeMarks',
    'events.ts',
    'const marks = yield* marksIn(',
    `if (/"pyr_/.test(JSON.stringify(event.data))) return err(rejected('malformedEvent'));
    const marks = yield* marksIn(`,
  ),
  bug(
    'refundNotReported',
    'work/refunding/follow-returned.ts',
    'refunds.filter(({ after }) => after.passed !== undefined);',
    'refunds.filter(({ before, after }) => before && after.passed !== undefined);',
  ),
  bug(
    'refundedByAnyone',
    'operations/refunds/refundPayment.ts',
    'const payment = yield* findPaymentOfBusiness(run.ports, auth, contactlessPaymentId);',
    `const all = { ...auth, systemAdministrator: true };
  const payment = yield* findPaymentOfBusiness(run.ports, all, contactlessPaymentId);`,
  ),

  // The platform's fee (D46)
  bug(
    'feeForgottenOnAResume',
    'work/opening/opening.ts',
    '...(payment.applicationFeeMinor !== undefined && {',
    '...(payment.work.fence === 1 && payment.applicationFeeMinor !== undefined && {',
  ),
  bug(
    'feeNotRecorded',
    'work/opening/new-payment.ts',
    '...(feeMinor !== undefined && { applicationFeeMinor: feeMinor }),',
    '',
  ),
];
