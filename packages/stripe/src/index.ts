export type {
  AccountCheck,
  AccountObstacle,
  AccountToCheck,
  AccountWarning,
} from './account.ts';
export type { CustomerSession, CustomerSessionRequest } from './customers.ts';
export { stripeEventTypes } from './events.ts';
export { keyLifetimeMs } from './keys.ts';
export { markNames } from './marks.ts';
export { isLiveKey, type StripeOptions, type StripeOptionsError } from './options.ts';
export { createStripeProcessor, type StripeProcessor } from './processor.ts';
export { defaultTables, type StripeTables, terminalCurrencies } from './tables.ts';
