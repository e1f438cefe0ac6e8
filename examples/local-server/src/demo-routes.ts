import { randomUUID } from 'node:crypto';
import { type Chairside, err, formatTimestamp, type Problem, systemClock } from '@chairside/core';
import {
  badRequest,
  type Fault,
  fault,
  fieldFault,
  moneySchema,
  retryLater,
  type Store,
  unavailable,
} from '@chairside/core/ports';
import {
  cards,
  type FakeProcessor,
  isCardName,
  type PresentError,
} from '@chairside/fake-processor';
import type { ChairsideHandler } from '@chairside/h3';
import { type EventHandler, getRouterParam, type H3Event } from 'h3';
import * as v from 'valibot';
import {
  appointmentOfAda,
  furtherIds,
  otherAppointments,
  paidAppointment,
  people,
} from './demo-data.ts';
import { readJson } from './read-json.ts';
import { listOpenAppointments } from './seed.ts';

export interface Demo {
  readonly chairside: Chairside;
  readonly store: Store;
  /** Absent with a real processor. */
  readonly simulated: FakeProcessor | undefined;
  readonly baseUrl: string;
}

const newAppointmentSchema = v.strictObject({ amountDue: moneySchema });
const tapSchema = v.strictObject({ clientSecret: v.string(), card: v.string() });

/**
 * Adds routes for the actions of a shop, a customer and a card in real life. They need no token.
 */
export function addDemoRoutes(app: ChairsideHandler, demo: Demo): void {
  const { chairside, store, simulated, baseUrl } = demo;
  const openAppointments = listOpenAppointments(chairside, store);
  const refuse = ({ url }: H3Event, why: Fault) => app.refuse(why, url.pathname);
  const get = (path: string, handle: EventHandler) =>
    app.get(path, handle).on('HEAD', path, handle);

  get('/', () =>
    answer(200, {
      about: 'Chairside, in-person card payments: a local server to try it out.',
      demo: `${baseUrl}/demo`,
      docs: `${baseUrl}/docs`,
      openapi: `${baseUrl}/openapi.json`,
    }),
  );

  get('/demo', async (event) => {
    const open = await openAppointments();
    return open.match(
      (open) =>
        answer(200, {
          tokens: Object.fromEntries(Object.entries(people).map(([is, { token }]) => [is, token])),
          appointments: {
            open,
            paid: paidAppointment.id,
            ofOtherBarber: otherAppointments.ofOtherBarber.id,
            withoutProcessor: otherAppointments.withoutProcessor.id,
          },
          ...furtherIds,
        }),
      () => refuse(event, unavailable('The demo data cannot be read.', 'notApplied')),
    );
  });

  app.post('/demo/appointments', async (event) => {
    const body = await readJson(event, newAppointmentSchema);
    if (body.isErr()) return refuse(event, body.error);
    const { amountDue } = body.value;
    const appointment = appointmentOfAda({
      id: `appointment_${randomUUID()}`,
      amountDueMinor: BigInt(amountDue.replace('.', '')),
      occursOn: formatTimestamp(systemClock.now()),
    });
    const put = await chairside.records.putAppointment(appointment);
    const { amountDueMinor: _, ...shown } = appointment;
    return put.match(
      () => answer(201, { ...shown, amountDue }),
      (problem) => refuse(event, faultOf(problem)),
    );
  });

  app.post('/demo/taps', async (event) => {
    if (simulated === undefined) return refuse(event, notSimulated);
    const tap = (await readJson(event, tapSchema)).andThen(({ clientSecret, card }) =>
      isCardName(card)
        ? simulated.presentCard(clientSecret, card).mapErr(tapFault)
        : err(tapFault({ kind: 'unknownCard' })),
    );
    return tap.match(
      (presented) => answer(200, presented),
      (why) => refuse(event, why),
    );
  });

  get('/demo/processor/:id', (event) => {
    if (simulated === undefined) return refuse(event, notSimulated);
    const entry = simulated.bookEntry(getRouterParam(event, 'id') ?? '');
    return entry === undefined
      ? refuse(event, fault('notFound', 'The processor has no payment with this reference.'))
      : answer(200, entry);
  });
}

/** A real processor has its own cards and books. */
const notSimulated = fault(
  'notFound',
  'The processor is not simulated: present a card to a reader of Stripe, and look into its Dashboard.',
);

/** Why a card could not be presented. */
function tapFault(error: PresentError): Fault {
  switch (error.kind) {
    case 'unknownClientSecret':
      return fault('notFound', 'No payment has this client secret.');
    case 'unknownCard': {
      // One detail is too short for all names.
      const names = Object.keys(cards);
      return badRequest([
        fieldFault('/card', `/card is one of: ${names.slice(0, 10).join(' ')}`),
        fieldFault('/card', `or one of: ${names.slice(10).join(' ')}`),
      ]);
    }
    case 'notPresentable':
      return fault('conflict', `The payment accepts no card now: it is ${error.status}.`, {
        attributes: { status: error.status },
      });
    case 'storageFailed':
      return fault('serviceUnavailable', 'The processor cannot write its books.', {
        recovery: retryLater,
      });
  }
}

function faultOf({ type, title, detail = title, attributes, recovery }: Problem): Fault {
  return fault(type, detail, { recovery, ...(attributes !== undefined && { attributes }) });
}

function answer(status: 200 | 201, body: unknown): Response {
  return Response.json(body, { status, headers: { 'cache-control': 'no-store' } });
}
