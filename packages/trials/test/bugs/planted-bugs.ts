import { bug, type PlantedBug } from './planted-bug.ts';
import { plantedErrandBugs } from './planted-errands.ts';
import { plantedWorldBugs } from './planted-world.ts';

export const plantedBugs: readonly PlantedBug[] = [
  // Fences, leases, attempts
  bug('noFencing', 'work/lease.ts', 'return payment.work?.fence === mine.fence;', 'return true;'),
  bug(
    'leaseNotGivenUp',
    'work/write-payment.ts',
    'const work = giveUp(payment.work, now);',
    'const work = payment.work;',
  ),
  bug(
    'attemptRaisedTooEarly',
    'work/opening.ts',
    'unknown(ports, payment, error.answered)',
    'unknown(ports, payment, true)',
  ),
  bug(
    'attemptNeverRaised',
    'work/write-payment.ts',
    'attempt: work.attempt + Number(provedDead)',
    'attempt: work.attempt',
  ),
  bug('firstCallForgotten', 'work/opening.ts', 'return work.fence === 1;', 'return true;'),

  // Keys
  {
    name: 'clientKeyPassedThrough',
    edits: [
      {
        file: 'operations/createContactlessPayment.ts',
        find: 'const payment = newPayment(ports, appointment, account, amountMinor);',
        replace:
          'const payment = { ...newPayment(ports, appointment, account, amountMinor), clientKey: use.key };',
      },
      {
        file: 'work/opening.ts',
        find: "idempotencyKey: processorKey(payment, 'open'),",
        replace: 'idempotencyKey: payment.clientKey,',
      },
    ],
  },
  bug(
    'scopeOfTheToken',
    'call/idempotency.ts',
    'return { subject: auth.subject, ...parseKey(key), operation',
    'return { subject: JSON.stringify(auth), ...parseKey(key), operation',
  ),
  bug(
    'noScope',
    'call/idempotency.ts',
    'return { subject: auth.subject, ...parseKey(key), operation',
    "return { subject: 'everyone', ...parseKey(key), operation",
  ),
  bug(
    'fingerprintWithoutPath',
    'call/idempotency.ts',
    'canonicalJson([operation, pathId, body])',
    'canonicalJson([operation, body])',
  ),
  bug(
    'fingerprintWithoutBody',
    'call/idempotency.ts',
    'canonicalJson([operation, pathId, body])',
    'canonicalJson([operation, pathId])',
  ),
  bug('noClaim', 'operations/createContactlessPayment.ts', '    claimKey(use, payment.id),\n', ''),
  bug(
    'keysForgottenEarly',
    'domain/payment.ts',
    'export const keyRetentionMs = 72 * hourMs;',
    'export const keyRetentionMs = hourMs;',
  ),
  bug(
    'notAppliedWhileUnfinished',
    'call/outcome.ts',
    'if (!(await mayBeApplied(ports, auth.subject, key))) return fault;',
    'return fault;',
  ),
  bug(
    'notAppliedAfterDone',
    'call/idempotency.ts',
    "return isDone || (state !== 'canceled' && problem === undefined);",
    "return !isDone && state !== 'canceled' && problem === undefined;",
  ),
  bug(
    'declineStored',
    'operations/captureContactlessPayment.ts',
    "return 'type' in reason && reason.type === 'contactlessPaymentCanceled';",
    "return 'type' in reason && (reason.type === 'contactlessPaymentCanceled' || reason.type === 'contactlessPaymentDeclined');",
  ),
  bug(
    'answerFromTheCurrentState',
    'operations/createContactlessPayment.ts',
    'if (isOpened(payment)) return viewOpening(payment);',
    'if (isOpened(payment)) return { ...viewOpening(payment), state: payment.state };',
  ),
  bug(
    'replayWithoutAuthorisation',
    'operations/captureContactlessPayment.ts',
    `  const barberId = yield* requireBarber(auth);
  const found = yield* await findPayment(ports, input.contactlessPaymentId);
  yield* requireBarberOf(ports, found, barberId);
`,
    `  const found = yield* await findPayment(ports, input.contactlessPaymentId);
  const known = yield* await ports.store.keys.get(auth.subject, idempotencyKey);
  if (known === undefined) {
    const barberId = yield* requireBarber(auth);
    yield* requireBarberOf(ports, found, barberId);
  }
`,
  ),

  // Money
  {
    name: 'amountRecomputed',
    edits: [
      {
        file: 'operations/createContactlessPayment.ts',
        find: 'return yield* takeOverWork(ports, payment, payment.work);',
        replace: `const taken = yield* takeOverWork(ports, payment, payment.work);
  const { appointments, ledgers } = ports.store;
  const appointment = yield* await appointments.get(taken.appointment.id);
  const ledger = yield* await ledgers.get(taken.appointment.id);
  const amountMinor = remainingMinor(appointment, ledger);
  return { ...taken, amountMinor: amountMinor > 0n ? amountMinor : 1n };`,
      },
    ],
  },
  bug(
    'noReservation',
    'work/reserving.ts',
    '    amountDueMinor,\n  );\n  const written',
    '  );\n  const written',
  ),
  bug(
    'reservationPerKey',
    'work/reserving.ts',
    '    claim,\n  );\n  return { ...joined',
    `    [
      ...claim,
      {
        kind: 'moveLedger',
        appointmentId: payment.appointment.id,
        openPayments: 0,
        reservedMinor: payment.amountMinor,
        capturedMinor: 0n,
      },
    ],
  );
  return { ...joined`,
  ),
  bug(
    'reservationReleasedBySecondKey',
    'work/reserving.ts',
    'payment: beginCapture(ports, stored, work), passed',
    'payment: beginCapture(ports, { ...stored, reserved: false }, work), passed',
  ),
  bug(
    'reservationReleasedWithTheLease',
    'work/write-payment.ts',
    '      ...stored,\n      work: { ...work, attempt',
    '      ...stored,\n      reserved: false,\n      work: { ...work, attempt',
  ),
  bug(
    'ledgerNotMovedByOthers',
    'domain/follow-ledger.ts',
    'const capturedMinor = seen.capturedMinor ?? payment.amountMinor;',
    "const capturedMinor = cause === 'capture' ? (seen.capturedMinor ?? payment.amountMinor) : 0n;",
  ),
  bug(
    'partialCaptured',
    'domain/follow-ledger.ts',
    "return status === 'authorized' && authorizedMinor < payment.amountMinor;",
    'return false;',
  ),
  bug(
    'boundNotAtomic',
    'operations/createContactlessPayment.ts',
    '      currency: payment.currency,\n      maxOpenPayments,\n',
    '      currency: payment.currency,\n      ...(ledger.openPayments >= maxOpenPayments && { maxOpenPayments }),\n',
  ),

  // Outcomes
  bug(
    'timeOutStored',
    'work/capturing.ts',
    'if (after.isErr() || after.value === undefined) return yield* unknown(ports, payment, false);',
    'if (after.isErr() || after.value === undefined) return yield* err(canceled());',
  ),
  bug(
    'unknownTakenForWritten',
    'call/commit.ts',
    'if (written.isOk() && written.value) result = ok();',
    'if (written.isOk()) result = ok();',
  ),
  bug(
    'noReferenceCheck',
    'work/presented.ts',
    'readAtProcessor(ports, payment, reference)',
    'readAtProcessor(ports, payment)',
  ),
  bug(
    'openedTooLate',
    'work/opening.ts',
    'if (ports.clock.now() >= payment.createdAt + openLifetimeMs) {',
    'if (false) {',
  ),
  bug(
    'cancelDoesNotExcludeCapture',
    'operations/captureContactlessPayment.ts',
    "found.work?.kind === 'cancel'",
    "found.work?.kind === 'none'",
  ),

  // Cancelation and upkeep
  bug(
    'canceledBeforeConfirmed',
    'work/canceling.ts',
    '  const read = await readAtProcessor(ports, payment);\n  if (read.isErr())',
    '  yield* await writeSeen(ports, payment, nothing(payment), cause);\n  const read = await readAtProcessor(ports, payment);\n  if (read.isErr())',
  ),
  {
    name: 'reaperTooEarly',
    edits: [
      {
        file: 'operations/reconcile.ts',
        find: 'if (ports.clock.now() >= payment.expiresAt) return yield* cancel',
        replace: 'if (ports.clock.now() >= payment.createdAt) return yield* cancel',
      },
      {
        file: 'work/canceling.ts',
        find: "return now >= followLedger(payment, seen, now, 'expired').payment.expiresAt;",
        replace: 'return true;',
      },
    ],
  },
  bug(
    'reaperDoesNotLook',
    'work/canceling.ts',
    "if (seen?.status === 'authorized' && cause === 'expired' && !isExpired(ports, payment, seen)) {",
    'if (false) {',
  ),
  {
    name: 'sweepWithoutMark',
    edits: [
      {
        file: 'work/sweep.ts',
        find: '      installation: ports.installation,\n      limit',
        replace: "      installation: 'another',\n      limit",
      },
      {
        file: 'work/sweep.ts',
        find: '      installation: ports.installation,\n      begunAt',
        replace: "      installation: 'another',\n      begunAt",
      },
    ],
  },
  bug('sweepOfYoungPayments', 'work/sweep.ts', 'const minAgeMs = hourMs;', 'const minAgeMs = 0;'),
  bug(
    'noSweep',
    'work/sweep.ts',
    'const end = await cancelOrphan(ports, item);',
    "const end = 'canceled';",
  ),

  // Events
  bug(
    'versionLoadedAfterwards',
    'operations/receiveProcessorEvent.ts',
    `  const followed = followLedger(payment, seen, ports.clock.now(), 'processorEvent');
  const isNews = followed.passed.length > 0 || followed.payment.review !== payment.review;
  return isNews ? changesOf(payment, followed).changes : [];`,
    `  const later = yield* await ports.store.payments.get(payment.id);
  const followed = followLedger(later, seen, ports.clock.now(), 'processorEvent');
  return followed.passed.length === 0 ? [] : changesOf(later, followed).changes;`,
  ),
  bug(
    'messageNotedBeforeItsEffect',
    'operations/receiveProcessorEvent.ts',
    "  yield* await commit(ports, [...changes, { kind: 'insertProcessorEvent', id, at }]);",
    "  yield* await commit(ports, [{ kind: 'insertProcessorEvent', id, at }]);\n  if (changes.length > 0) yield* await commit(ports, changes);",
  ),
  bug(
    'messageNotNoted',
    'operations/receiveProcessorEvent.ts',
    "[...changes, { kind: 'insertProcessorEvent', id, at }]",
    'changes',
  ),
  bug(
    'eventsWithoutVersion',
    'work/write-payment.ts',
    'eventOf(after, state, before.version + 1 + index, capturedMinor)',
    'eventOf(after, state, index + 1, capturedMinor)',
  ),
  bug(
    'eventLost',
    'work/write-payment.ts',
    '...passed.map((state, index)',
    "...passed.filter((state) => state !== 'canceled').map((state, index)",
  ),
  bug(
    'removedBeforeDelivered',
    'operations/deliverEvents.ts',
    '  try {\n    await handler(toCloudEvent(ports.installation, event));',
    "  await commit(ports, [{ kind: 'removeEvent', subject, version, deliverAt: ports.clock.now() }]);\n  try {\n    await handler(toCloudEvent(ports.installation, event));",
  ),
  bug(
    'secretInEvent',
    'work/write-payment.ts',
    '      currency: payment.currency,\n      state,',
    '      currency: payment.currency,\n      secret: payment.clientSecret,\n      state,',
  ),
  bug(
    'secretInTimeline',
    'work/opening.ts',
    "what: 'created', cause: 'open' }",
    "what: 'created', cause: clientSecret }",
  ),

  ...plantedErrandBugs,
  ...plantedWorldBugs,
];
