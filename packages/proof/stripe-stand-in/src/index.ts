export type { StandInAccount } from './account.ts';
export type { StandInSwitches } from './books.ts';
export {
  longestHoldSeconds,
  type StandInCard,
  type StripeCardName,
  stripeCards,
} from './cards.ts';
export type { Charge } from './charge.ts';
export type { StandInEvent } from './event.ts';
export { type Exchange, exchangeChannel } from './exchange.ts';
export { type StripeFault, type StripeFaultKind, stripeFaults } from './faults.ts';
export type { ForeignObjects } from './foreign.ts';
export type { Delay } from './http-client.ts';
export type { Intent } from './intent.ts';
export type { StripeStandIn, StripeStandInOptions } from './interface.ts';
export { keyRetentionMs } from './keys.ts';
export type { Route } from './params.ts';
export type { Replies } from './replies.ts';
export type { RawRequest } from './request.ts';
export type { Requests } from './requests.ts';
export type { LoggedRequest, Outcome } from './serve.ts';
export type { StandInServer } from './server.ts';
export { signPayload } from './sign.ts';
export { createStripeStandIn } from './stand-in.ts';
export { terminalCountries } from './terminals.ts';
