/** A promise that was broken. */
export interface Violation {
  readonly rule: Rule;
  readonly what: string;
}

export const rules = {
  charged: 'an appointment is never charged more than it owes, and a payment captured once',
  currency: "an appointment is charged in one currency, its business's",
  refunded: 'a payment is never refunded more than was captured, and once for each key',
  durable: 'what was acknowledged is durable',
  agree: "our records and the processor's agree to the cent",
  sameKey: 'the same key has the same answer, byte for byte',
  retention: 'keys are kept for 72 hours after the end of what they were used for',
  truthful: '"not applied" is never said of what happened or may still happen',
  secret: 'no secret is logged or shown',
  problems: 'every error is a valid problem',
  ends: 'everything ends',
  events: 'events are complete, in order, and add up to the state',
  orphans: 'nothing is left behind at the processor, and nothing canceled that is not ours',
  review: 'each review has a reason, and is listed once until it is settled',
  canceled:
    'a payment is canceled for a reason that was true just then, and after a look at the processor',
  calls: 'a call to the processor is repeated as it was, and in time',
  leases: 'a lease is given up at once when the processor did not answer',
  bound: 'at most 50 payments of an appointment are open',
  setups: 'one key opens one setup, and what was opened is the one that is recorded',
  terminals: 'a device is registered once at a time, and a terminal is there until it is removed',
  erased: 'secrets and keys are forgotten in time, and erased is what was to be erased',
  access: 'nobody sees or changes what is not theirs',
} as const;

export type Rule = keyof typeof rules;

/** Adds a violation unless the promise holds. */
export type Expect = (holds: boolean, rule: Rule, what: () => string) => void;
