import { listDeadLetters, redeliverEvent, skipEvent } from './deadLetters.ts';
import { deliverEvents } from './deliverEvents.ts';

export const events = {
  /** Domain events for the host: run `deliver` on a timer (D26). */
  events: {
    /**
     * Passes due events to the handler, each at least once and those of one payment in order. Run it on a
     * timer, on any number of nodes. An event that the handler rejects comes again later.
     *
     * @example
     * const report = await chairside.events.deliver(async (event) => {
     *   if (event.type === 'contactlessPayment.captured') console.log(event.data.amount);
     * });
     */
    deliver: deliverEvents,

    /**
     * Lists the events that the handler rejected ten times. Later events of the same subject wait.
     *
     * @example
     * const dead = await chairside.events.listDeadLetters({ limit: 20 });
     */
    listDeadLetters,
    /**
     * Gives a dead letter ten more attempts.
     *
     * @example
     * const revived = await chairside.events.redeliver({ subject: 'cpm_01h', version: 4 });
     */
    redeliver: redeliverEvent,
    /**
     * Drops a dead letter, so that the later events of its subject are delivered.
     *
     * @example
     * const dropped = await chairside.events.skip({ subject: 'cpm_01h', version: 4 });
     */
    skip: skipEvent,
  },
};
