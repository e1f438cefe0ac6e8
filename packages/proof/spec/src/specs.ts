/** Loads one file of specs, which declares them. */
type Load = () => Promise<object>;

/** They need no more of a processor than a driven one gives. */
export const specsOfProcessors: readonly Load[] = [
  () => import('../test/cancelContactlessPayment.spec.ts'),
  () => import('../test/captureContactlessPayment.spec.ts'),
  () => import('../test/clocks.spec.ts'),
  () => import('../test/createContactlessPayment.spec.ts'),
  () => import('../test/preparePaymentMethod.spec.ts'),
  () => import('../test/readPayments.spec.ts'),
  () => import('../test/terminals.spec.ts'),
];

export const specs: readonly Load[] = [
  ...specsOfProcessors,
  () => import('../test/amountsDue.spec.ts'),
  () => import('../test/challengeMethods.spec.ts'),
  () => import('../test/chargeInterruptions.spec.ts'),
  () => import('../test/chargePaymentMethod.spec.ts'),
  () => import('../test/customers.spec.ts'),
  () => import('../test/domainEvents.spec.ts'),
  () => import('../test/everyOperation.spec.ts'),
  () => import('../test/outcomesUnderKeys.spec.ts'),
  () => import('../test/processorEvents.spec.ts'),
  () => import('../test/recipes.spec.ts'),
  () => import('../test/refundPayment.spec.ts'),
  () => import('../test/refundUpkeep.spec.ts'),
  () => import('../test/restored.spec.ts'),
  () => import('../test/review.spec.ts'),
  () => import('../test/shares.spec.ts'),
  () => import('../test/statement.spec.ts'),
  () => import('../test/tenders.spec.ts'),
  () => import('../test/text.spec.ts'),
  () => import('../test/tips.spec.ts'),
  () => import('../test/upkeep.spec.ts'),
  () => import('../test/whoDidIt.spec.ts'),
];
