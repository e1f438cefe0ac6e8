import type { Step, Taking } from '@chairside/client';

/** The barber's possible actions. */
export type Action = 'take' | 'resume' | 'stop' | 'forget' | 'back';

const actions: Readonly<Record<Step, readonly Action[]>> = {
  idle: ['take', 'forget', 'back'],
  opening: ['stop'],
  presenting: ['stop'],
  capturing: [],
  checking: ['stop'],
  captured: ['back'],
  declined: ['take', 'forget', 'back'],
  canceled: ['take', 'back'],
  stuck: ['resume', 'back'],
};

/** The barber removes a note that only the shop can settle. */
export function actionsOf({ step, reason }: Taking): readonly Action[] {
  if (reason === 'askShop' || reason === 'tooOld' || reason === 'unreadable') {
    return ['resume', 'forget', 'back'];
  }
  if (reason === 'notStarted' || reason === 'reader' || reason === 'storage') {
    return ['take', 'back'];
  }
  return actions[step];
}

/**
 * Whether `take` begins a new payment, so that the customer chooses a tip. A note that is left knows its tip.
 */
export function choosesTip({ step, reason }: Taking): boolean {
  return step === 'canceled' || reason === 'partlyApproved';
}

/** Whole seconds until the next attempt, if one is planned. */
export function secondsLeft({ nextAttemptAt }: Taking, now: number): number | undefined {
  if (nextAttemptAt === undefined) return undefined;
  return Math.max(0, Math.ceil((nextAttemptAt - now) / 1000));
}
