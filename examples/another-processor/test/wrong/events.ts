import type { ProcessorEvent, RawEvent } from '@chairside/core/ports';
import { sign, signatureHeader } from '../../src/events.ts';
import { webhookSecret } from '../tally/tally.ts';
import { type WrongProcessor, wrapping } from './wrong-processor.ts';

/** Messages pass the check of their signature in this way. */
const trusting = (trust: (event: RawEvent, now: number) => RawEvent) =>
  wrapping((right) => ({ parseEvent: (event, now) => right.parseEvent(trust(event, now), now) }));

const telling = (tell: (told: ProcessorEvent, event: RawEvent) => ProcessorEvent) =>
  wrapping((right) => ({
    parseEvent: (event, now) => right.parseEvent(event, now).map((told) => tell(told, event)),
  }));

const signedAgain = (event: RawEvent, now: number) => sign(event.payload, webhookSecret, now);
const signatureOf = ({ headers }: RawEvent) => headers[signatureHeader] ?? '';

/** They believe messages that are not Tally's, or tell something else of them. */
export const processorsThatMishear: readonly WrongProcessor[] = [
  {
    fault: 'accepts any signature',
    caughtBy: [
      'events are rejected with a wrong signature or without one',
      'events are rejected with the signature of another message',
      'events are rejected with another body than the signed one',
    ],
    open: trusting(signedAgain),
  },
  {
    fault: 'accepts messages of any age',
    caughtBy: ['events are rejected if their signature is too old or from the future'],
    open: wrapping((right) => ({
      parseEvent: (event) => right.parseEvent(event, Number.parseInt(signatureOf(event), 10)),
    })),
  },
  {
    fault: 'rejects messages that are a second old',
    caughtBy: [
      'events are rejected if their signature is too old or from the future',
      'events report a refund, which changes no state',
      'events are ignored if they are about something else',
      'events have unique ids',
      'events report a dispute, which changes no state',
      'events report a payment that is authorized or captured',
      'events tell two refunds of a payment apart',
    ],
    open: wrapping((right) => ({
      parseEvent: (event, now) => right.parseEvent(event, now + 3_600_000),
    })),
  },
  {
    fault: 'names each delivery of a message anew',
    caughtBy: ['events have the same id in each delivery'],
    open: telling((told, event) => ({
      ...told,
      id: `${told.id} ${signatureOf(event)} ${Math.random()}`,
    })),
  },
  {
    fault: 'names one installation in each message',
    caughtBy: ['events name the account and the installation of their payment'],
    open: wrapping((right, tally) => ({
      parseEvent: (event, now) =>
        right
          .parseEvent(event, now)
          .map((told) =>
            told.kind === 'ignored'
              ? told
              : { ...told, installation: tally.orders.at(-1)?.source ?? told.installation },
          ),
    })),
  },
];
