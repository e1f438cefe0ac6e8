import { bug, type PlantedBug } from './planted-bug.ts';

/** Mistakes that show only if hosts change their records, or others act at the processor. */
export const plantedWorldBugs: readonly PlantedBug[] = [
  bug(
    'deadlineNotChecked',
    'work/capturing/decide-presented.ts',
    'if (!isOver && isOverdue(payment, seen, at)) {',
    'if (isOver && at === -1) {',
  ),
  bug(
    'amountNotCompared',
    'work/capturing/decide-presented.ts',
    'seen.amountMinor === payment.amountMinor &&',
    'true &&',
  ),
  bug(
    'currencyNotChecked',
    'work/capturing/decide-presented.ts',
    'seen.currency === payment.currency &&',
    'true &&',
  ),
  bug(
    'accountNotChecked',
    'work/capturing/decide-presented.ts',
    'seen.account === payment.account &&',
    'true &&',
  ),
  bug(
    'alteredWhileReserved',
    'work/capturing/decide-capture.ts',
    'if (!isSame(payment, before))',
    'if (false)',
  ),
  bug(
    'absentTakenForCanceled',
    'work/canceling/decide-canceling.ts',
    'if (sent.value === undefined && payment.reserved)',
    'if (false)',
  ),
  bug(
    'capturedAmountIgnored',
    'domain/follow-ledger.ts',
    'draft.capturedMinor = seen.capturedMinor ?? draft.amountMinor;',
    'draft.capturedMinor = draft.amountMinor;',
  ),
  {
    name: 'keysKeptFromCreation',
    edits: [
      {
        file: 'domain/follow-ledger.ts',
        find: 'draft.nextCheckAt = at + keyRetentionMs;',
        replace: 'draft.nextCheckAt = Math.max(at, draft.createdAt + keyRetentionMs);',
      },
      {
        file: 'work/settling/settle-payment.ts',
        find: 'const endAt = keysKeptUntil(payment);',
        replace: 'const endAt = payment.createdAt + 72 * 3_600_000;',
      },
    ],
  },
  bug(
    'repeatedKeyKeptFromTheCapture',
    'work/capturing/repeated-capture.ts',
    'if (keysKeptUntil(payment) >= forgetAt) return [claim];',
    'if (claim) return [claim];',
  ),
  bug(
    'openerLockedOut',
    'call/access.ts',
    '  if (appointment.barber.id === barberId) return ok(true);\n',
    '',
  ),
  bug(
    'otherBusinessLetIn',
    'call/access.ts',
    'found?.barber.id === barberId && found.businessId === businessId',
    'found?.barber.id === barberId',
  ),
  bug(
    'paymentsOfAllBusinessesListed',
    'operations/payments.ts',
    '        appointment.businessId,\n',
    '',
  ),
  {
    name: 'listedForAnyBarber',
    edits: [
      {
        file: 'operations/payments.ts',
        find: 'findOwnAppointment(ports, appointmentId, barberId)',
        replace: 'findAppointment(ports, appointmentId)',
      },
    ],
  },
  bug(
    'accessOfTheAppointmentAlone',
    'operations/createContactlessPayment.ts',
    'if (appointment.isErr() && !isOwnClaim) return err(appointment.error);',
    'if (appointment.isErr()) return err(appointment.error);',
  ),
  bug(
    'limitSaysNotApplied',
    'call/perform.ts',
    'return err(await problemOf(refused, call));',
    'return err(problemFor(ports, call, error));',
  ),
  bug(
    'refusalsSayNotApplied',
    'call/outcome.ts',
    'return keepsRetry.has(fault.type)\n    ? withUnknownOutcome(fault)',
    'return keepsRetry.has(fault.type)\n    ? fault',
  ),
  bug(
    'receiptsForAnybody',
    'operations/payments.ts',
    `const payment = yield* findManagedPayment(ports, auth, contactlessPaymentId);
      const { card, capturedAt, appointment } = payment;`,
    `const all = { ...auth, systemAdministrator: true };
      const payment = yield* findManagedPayment(ports, all, contactlessPaymentId);
      const { card, capturedAt, appointment } = payment;`,
  ),
  bug(
    'officesOfOthersShown',
    'call/access.ts',
    "  yield* requireOwn(businessIds.includes(business.id), 'business');\n",
    '',
  ),
  bug(
    'schedulesOfOthersRemoved',
    'operations/barbers.ts',
    '  if (!isAdministrator && auth.barberId !== barber.id) yield* err(notAllowed());\n',
    '',
  ),
];
