import { err, ok, type ProcessorEvent, type RawEvent } from '@chairside/core';
import { rejected } from '../../src/connection.ts';
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
    fault: 'accepts messages without a signature',
    caughtBy: 'events are rejected with a wrong signature or without one',
    open: trusting((event, now) => (signatureOf(event) === '' ? signedAgain(event, now) : event)),
  },
  {
    fault: 'accepts any signature',
    caughtBy: 'events are rejected with a wrong signature or without one',
    open: trusting(signedAgain),
  },
  {
    fault: 'accepts the signature of another message',
    caughtBy: 'events are rejected with the signature of another message',
    open: trusting((event, now) =>
      /^\d+\.[0-9a-f]{64}$/.test(signatureOf(event)) ? signedAgain(event, now) : event,
    ),
  },
  {
    fault: 'checks the signature of the parsed body',
    caughtBy: 'events are rejected with another body than the signed one',
    open: trusting((event) => ({ ...event, payload: event.payload.trim() })),
  },
  {
    fault: 'accepts messages of any age',
    caughtBy: 'events are rejected if their signature is too old or from the future',
    open: wrapping((right) => ({
      parseEvent: (event) => right.parseEvent(event, Number.parseInt(signatureOf(event), 10)),
    })),
  },
  {
    fault: 'rejects messages that are a second old',
    caughtBy: 'events are rejected if their signature is too old or from the future',
    open: wrapping((right) => ({
      parseEvent: (event, now) => right.parseEvent(event, now + 3_600_000),
    })),
  },
  {
    fault: 'names each delivery of a message anew',
    caughtBy: 'events have the same id in each delivery',
    open: telling((told, event) => ({
      ...told,
      id: `${told.id} ${signatureOf(event)} ${Math.random()}`,
    })),
  },
  {
    fault: 'rejects messages about other things',
    caughtBy: 'events are ignored if they are about something else',
    open: wrapping((right) => ({
      parseEvent: (event, now) =>
        right
          .parseEvent(event, now)
          .andThen((told) => (told.kind === 'ignored' ? err(rejected('unknownType')) : ok(told))),
    })),
  },
  {
    fault: 'names all messages of a refund alike',
    caughtBy: 'refunds may end later, and give nothing back if they fail',
    open: telling((told) => (told.kind === 'refund' ? { ...told, id: told.subject } : told)),
  },
  {
    fault: 'names all messages of a payment alike',
    caughtBy: 'events have unique ids',
    open: telling((told) => (told.kind === 'ignored' ? told : { ...told, id: told.paymentId })),
  },
  {
    fault: 'tells a refund as a change of the payment',
    caughtBy: 'events report a refund, which changes no state',
    open: telling((told) => {
      if (told.kind !== 'refund') return told;
      const { id, paymentId, installation, account } = told;
      return { kind: 'payment', id, paymentId, installation, account };
    }),
  },
  {
    fault: 'tells a dispute as a refund',
    caughtBy: 'events report a dispute, which changes no state',
    open: telling((told) => (told.kind === 'dispute' ? { ...told, kind: 'refund' } : told)),
  },
  {
    fault: 'tells of another account',
    caughtBy: 'events report a payment that is authorized or captured',
    open: telling((told) => (told.kind === 'ignored' ? told : { ...told, account: 'platform' })),
  },
  {
    fault: 'ignores captures',
    caughtBy: 'events report a payment that is authorized or captured',
    open: telling((told) => (told.kind === 'payment' ? { kind: 'ignored', id: told.id } : told)),
  },
];
