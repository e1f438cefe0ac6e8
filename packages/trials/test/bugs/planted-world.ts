import { bug, type PlantedBug } from './planted-bug.ts';

/** Mistakes that show only where hosts change their records, or where others act at the processor. */
export const plantedWorldBugs: readonly PlantedBug[] = [
  bug(
    'deadlineNotChecked',
    'work/presented.ts',
    "if (followed.payment.state !== 'canceled' && now >= followed.payment.expiresAt) {",
    'if (false) {',
  ),
  bug(
    'amountNotCompared',
    'work/capturing.ts',
    'seen.amountMinor === payment.amountMinor &&',
    'true &&',
  ),
  bug(
    'currencyNotChecked',
    'work/capturing.ts',
    'seen.currency === payment.currency &&',
    'true &&',
  ),
  bug('accountNotChecked', 'work/capturing.ts', 'seen.account === payment.account;', 'true;'),
  bug(
    'absentTakenForCanceled',
    'work/canceling.ts',
    'if (canceled.value === undefined && payment.reserved)',
    'if (false)',
  ),
  bug(
    'capturedAmountIgnored',
    'domain/follow-ledger.ts',
    'const capturedMinor = seen.capturedMinor ?? payment.amountMinor;',
    'const capturedMinor = payment.amountMinor;',
  ),
  {
    name: 'keysKeptFromCreation',
    edits: [
      {
        file: 'domain/follow-ledger.ts',
        find: 'return { ...rest, reserved: false, nextCheckAt: at + keyRetentionMs };',
        replace:
          'return { ...rest, reserved: false, nextCheckAt: Math.max(at, payment.createdAt + keyRetentionMs) };',
      },
      {
        file: 'operations/reconcile.ts',
        find: 'const keysEndAt = payment.updatedAt + keyRetentionMs;',
        replace: 'const keysEndAt = payment.createdAt + keyRetentionMs;',
      },
    ],
  },
  bug('openerLockedOut', 'call/access.ts', '  if (barber.id === barberId) return;\n', ''),
  bug(
    'otherBusinessLetIn',
    'call/access.ts',
    'now.value.reference.barber.id === barberId &&\n    now.value.businessId === payment.businessId;',
    'now.value.reference.barber.id === barberId;',
  ),
  bug(
    'paymentsOfAllBusinessesListed',
    'operations/listContactlessPayments.ts',
    '    appointment.businessId,\n',
    '',
  ),
  bug(
    'listedForAnyBarber',
    'operations/listContactlessPayments.ts',
    "  yield* requireOwn(appointment.reference.barber.id === barberId, 'appointment');\n",
    '',
  ),
  bug(
    'accessOfTheAppointmentAlone',
    'operations/createContactlessPayment.ts',
    'if (!(known.isOk() && isClaimFor(use, known.value))) yield* appointment;',
    'yield* appointment;',
  ),
  bug(
    'limitSaysNotApplied',
    'call/perform.ts',
    'keyIn(inputs[0]) === undefined ? error : withUnknownOutcome(error);',
    'error;',
  ),
  bug(
    'refusalsSayNotApplied',
    'call/outcome.ts',
    'return keepsRetry.has(fault.type)\n    ? withUnknownOutcome(fault)',
    'return keepsRetry.has(fault.type)\n    ? fault',
  ),
  bug(
    'receiptsForAnybody',
    'operations/getReceipt.ts',
    '  yield* requireManager(ports, auth, payment);\n',
    '',
  ),
  bug(
    'officesOfOthersShown',
    'call/access.ts',
    "  yield* requireOwn(businessIds.includes(business.id), 'business');\n",
    '',
  ),
  bug(
    'schedulesOfOthersRemoved',
    'operations/deleteBarberSchedule.ts',
    "  yield* requireOwn(isAdministrator || auth.barberId === barber.id, 'schedule');\n",
    '',
  ),
];
