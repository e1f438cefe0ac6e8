/** One place of a mechanism that `docs/reference/guarantees.md` names, and a test that it names. */
export interface Break {
  readonly file: string;
  /** Occurs once in the file. */
  readonly find: string;
  readonly replace: string;
  /** This test file fails. */
  readonly test: string;
}

const core = 'packages/core/src';
const spec = 'packages/proof/spec/test';
const trials = 'packages/proof/trials/test';

/** By promise. */
export const breaks: readonly Break[] = [
  // 1
  {
    file: `${core}/work/capturing/reserving.ts`,
    find: 'payment: begun, maxCommittedMinor }',
    replace: 'payment: begun }',
    test: `${spec}/captureContactlessPayment.spec.ts`,
  },
  {
    file: `${core}/domain/dues.ts`,
    find: 'const committedMinor = ledger.capturedMinor + ledger.reservedMinor;',
    replace: 'const committedMinor = ledger.reservedMinor;',
    test: `${spec}/regressionsMoney.spec.ts`,
  },
  {
    file: `${core}/work/capturing/decide-capture.ts`,
    find: 'const why = whyUndue(payment, dues.value);',
    replace: 'const why = undefined;',
    test: `${spec}/loweredDues.spec.ts`,
  },
  {
    file: `${core}/work/refunding/decide-refundable.ts`,
    find: ' - disputedMinor(disputes, returned);',
    replace: ';',
    test: `${spec}/refundPayment.spec.ts`,
  },
  {
    file: `${core}/work/settling/sweep-list.ts`,
    find: 'let pass: ListPass = begun ?? { before: until };',
    replace: 'let pass: ListPass = { before: begun?.before ?? until };',
    test: `${spec}/foreignObjects.spec.ts`,
  },
  // 2
  {
    file: 'packages/sqlite/src/pragmas.ts',
    find: 'const full = 2;',
    replace: 'const full = 1;',
    test: 'packages/sqlite/test/open.test.ts',
  },
  {
    file: `${core}/work/opening/new-payment.ts`,
    find: '    claimKey(use, payment.id),\n',
    replace: '',
    test: `${trials}/crash.spec.ts`,
  },
  {
    file: `${core}/call/commit.ts`,
    find: 'if (written.isOk() && written.value) result = ok();',
    replace: 'result = ok();',
    test: `${trials}/failingDisk.spec.ts`,
  },
  // 3
  {
    file: `${core}/work/opening/opening.ts`,
    find: 'isFirstCall: payment.work.fence === 1,',
    replace: 'isFirstCall: true,',
    test: `${spec}/interruptedCreate.spec.ts`,
  },
  {
    file: `${core}/domain/follow-ledger.ts`,
    find: 'const { capturedMinor = payment.amountMinor } = moved;',
    replace: 'const capturedMinor = 0n;',
    test: `${spec}/processorEventOrder.spec.ts`,
  },
  // 4
  {
    file: `${core}/work/opening/new-payment.ts`,
    find: '    claimKey(use, payment.id),\n',
    replace: '',
    test: `${spec}/createContactlessPayment.spec.ts`,
  },
  {
    file: `${core}/domain/payment.ts`,
    find: 'export const keyRetentionMs = 72 * hourMs;',
    replace: 'export const keyRetentionMs = 71 * hourMs;',
    test: `${spec}/captureContactlessPayment.spec.ts`,
  },
  // 5
  {
    file: `${core}/call/outcome.ts`,
    find: 'if (!(await mayBeApplied(ports, auth.subject, key))) return fault;',
    replace: 'return fault;',
    test: 'packages/core/test/perform.test.ts',
  },
  {
    file: `${core}/call/outcome.ts`,
    find: "return isDone || (state !== 'canceled' && problem === undefined);",
    replace: "return !isDone && state !== 'canceled' && problem === undefined;",
    test: 'packages/core/test/idempotency.test.ts',
  },
  // 6
  {
    file: `${core}/call/access.ts`,
    find: 'found?.barber.id === barberId && found.businessId === businessId',
    replace: 'found?.barber.id === barberId',
    test: `${spec}/authorizationMatrix.spec.ts`,
  },
  {
    file: `${core}/call/access.ts`,
    find: '  if (appointment.barber.id === barberId) return ok(true);\n',
    replace: '',
    test: `${spec}/changedHands.spec.ts`,
  },
  {
    file: `${core}/work/opening/opening.ts`,
    find: "what: 'created', cause: 'open' }",
    replace: "what: 'created', cause: clientSecret }",
    test: `${spec}/canary.spec.ts`,
  },
  // 7
  {
    file: `${core}/work/opening/new-payment.ts`,
    find: '      currency: payment.currency,\n      maxOpenPayments,\n',
    replace: '      currency: payment.currency,\n',
    test: `${spec}/errorTable.spec.ts`,
  },
  {
    file: 'packages/h3/src/json.ts',
    find: "return malformed('The body is not JSON in UTF-8.');",
    replace: "throw new Error('not JSON');",
    test: `${trials}/fuzz.spec.ts`,
  },
  // 8
  {
    file: `${core}/work/shared-time.ts`,
    find: 'if (seen?.at !== undefined) return ok(seen.at);',
    replace: '',
    test: `${spec}/clocks.spec.ts`,
  },
  // 9
  {
    file: `${core}/work/refunding/refunding.ts`,
    find: '18 * hourMs',
    replace: '23 * hourMs',
    test: `${spec}/refundPayment.spec.ts`,
  },
  {
    file: `${core}/domain/refund.ts`,
    find: 'return updatedAt + keyRetentionMs;',
    replace: 'return updatedAt + keyRetentionMs / 2;',
    test: `${spec}/refundUpkeep.spec.ts`,
  },
  {
    file: `${core}/domain/dispute.ts`,
    find: ".filter(({ state }) => state !== 'won')",
    replace: ".filter(({ state }) => state === 'open')",
    test: `${spec}/refundsGuide.spec.ts`,
  },
];
