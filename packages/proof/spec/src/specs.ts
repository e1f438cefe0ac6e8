/** Loads one file of specs, which declares them. */
type Load = () => Promise<object>;

/** They need no more of a processor than a driven one gives. */
export const specsOfProcessors: readonly Load[] = [
  () => import('../test/cancelContactlessPayment.spec.ts'),
  () => import('../test/captureContactlessPayment.spec.ts'),
  () => import('../test/clocks.spec.ts'),
  () => import('../test/createContactlessPayment.spec.ts'),
  () => import('../test/expiredSetups.spec.ts'),
  () => import('../test/readPayments.spec.ts'),
  () => import('../test/terminals.spec.ts'),
];

export const specs: readonly Load[] = [
  ...specsOfProcessors,
  () => import('../test/applicationFees.spec.ts'),
  () => import('../test/authorizationMatrix.spec.ts'),
  () => import('../test/business.spec.ts'),
  () => import('../test/cancelAfterInterruption.spec.ts'),
  () => import('../test/challengeMethods.spec.ts'),
  () => import('../test/changedHands.spec.ts'),
  () => import('../test/domainEvents.spec.ts'),
  () => import('../test/erasure.spec.ts'),
  () => import('../test/errorTable.spec.ts'),
  () => import('../test/interruptedCreate.spec.ts'),
  () => import('../test/interruptedSetup.spec.ts'),
  () => import('../test/loweredDues.spec.ts'),
  () => import('../test/outcomesUnderKeys.spec.ts'),
  () => import('../test/partialAuthorization.spec.ts'),
  () => import('../test/preparePaymentMethod.spec.ts'),
  () => import('../test/processorEvents.spec.ts'),
  () => import('../test/reconcileInGroups.spec.ts'),
  () => import('../test/records.spec.ts'),
  () => import('../test/refundClocks.spec.ts'),
  () => import('../test/refundRaces.spec.ts'),
  () => import('../test/refundPayment.spec.ts'),
  () => import('../test/refundUpkeep.spec.ts'),
  () => import('../test/rejectedRead.spec.ts'),
  () => import('../test/repeatedCapture.spec.ts'),
  () => import('../test/refundsGuide.spec.ts'),
  () => import('../test/regressions.spec.ts'),
  () => import('../test/regressionsMoney.spec.ts'),
  () => import('../test/review.spec.ts'),
  () => import('../test/reviewList.spec.ts'),
  () => import('../test/sharedLedger.spec.ts'),
  () => import('../test/text.spec.ts'),
  () => import('../test/upkeep.spec.ts'),
];
