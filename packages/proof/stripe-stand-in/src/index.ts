export { type StandInAccount, terminalCountries } from './account.ts';
export type { StandInSwitches } from './books.ts';
export type { Calls, Route } from './calls.ts';
export {
  longestHoldSeconds,
  type StandInCard,
  type StripeCardName,
  stripeCards,
} from './cards.ts';
export type { Charge } from './charge.ts';
export { type StandInEvent, signPayload } from './event.ts';
export { type Exchange, exchangeChannel } from './exchange.ts';
export { type StripeFault, type StripeFaultKind, stripeFaults } from './faults.ts';
export type { ForeignObjects } from './foreign.ts';
export type { Delay } from './http-client.ts';
export type { Intent } from './intent.ts';
export type { StripeStandIn, StripeStandInOptions } from './interface.ts';
export { keyRetentionMs } from './keys.ts';
export type { LoggedRequest } from './serve.ts';
export type { StandInServer } from './server.ts';
export { createStripeStandIn } from './stand-in.ts';
export type { Outcome, RawRequest } from './wire.ts';
