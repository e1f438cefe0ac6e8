import type { AuthContext, Chairside, Problem, ResultAsync } from '@chairside/core';
import type { Answer, Exchange } from '../check/request-log.ts';
import type { Action, Does, HostChange, Sender } from '../plan/plan.ts';
import type { Run } from './run.ts';
import {
  appointmentId,
  barberAuth,
  customerOf,
  firstFacts,
  nameOf,
  officeOf,
  owner,
  senderOf,
  setupNameOf,
  terminalSenderOf,
} from './shop.ts';

/** A request of a client, ready to be sent. */
export interface Request {
  readonly auth: AuthContext;
  /** What the evidence notes of it. */
  readonly what: Omit<Exchange, 'action' | 'as' | 'subject' | 'isLast' | 'from' | 'at'>;
  /** The status of a success. Default: 200. */
  readonly success?: number;
  readonly call: (chairside: Chairside) => ResultAsync<unknown, Problem>;
  /** The same over HTTP. Absent for what is only called. */
  readonly http?: HttpRequest;
  /** Called with the text of a success: what the client keeps. */
  readonly learn?: (text: string) => void;
  /** What the client asks next. */
  readonly next?: (answer: Answer | undefined) => readonly Request[];
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** The person whose token is used: `barber.0`, or `owner` for the shop's. */
  readonly person: string;
  readonly body?: unknown;
}

/** The barber of an action, as logged in at this moment. */
function barberOf(
  run: Run,
  { appointment, as = 'self' }: Does<'create' | 'capture' | 'read' | 'receipt'>,
) {
  const { barber: current } = run.appointments.get(appointment) ?? firstFacts(appointment);
  const barber = senderOf(appointment, as, current);
  const hasRole = as !== 'roleless' && !run.roleless.has(barber);
  const auth = barberAuth(barber, hasRole, run.scheduler.turns());
  const isLetIn = as !== 'expired' && as !== 'anonymous' && as !== 'unsure';
  const { barberId } = auth;
  const about = {
    appointment: appointmentId(appointment),
    ...(isLetIn && barberId !== undefined && { barberId }),
  };
  return { auth, about, person: `barber.${barber}` };
}

interface OfPayment {
  readonly appointment: number;
  readonly payment: string;
}

/** The id of an action's payment or tender, if the client knows it. */
function idOf({ opened }: Run, { appointment, payment }: OfPayment): string | undefined {
  return opened.get(nameOf(appointment, payment))?.id;
}

/** A request about a payment or tender that the client knows. */
function ofKnown<A extends OfPayment>(ask: (id: string, action: A, run: Run) => Request) {
  return (run: Run, action: A): Request | undefined => {
    const id = idOf(run, action);
    return id === undefined ? undefined : ask(id, action, run);
  };
}

/** The shop, which may do all that its barbers may not, or somebody else. */
function shopAuth(as: Sender = 'self'): AuthContext {
  if (as === 'other') return officeOf('elsewhere');
  return as === 'roleless' ? { subject: owner.subject } : owner;
}

function refundsOf(id: string, as?: Sender) {
  const person = as === 'other' ? 'elsewhere' : 'owner';
  return { path: `/contactlessPayments/${id}/refunds`, person };
}

function ofSetup(
  { setups }: Run,
  action: Does<'readSetup' | 'withdraw'>,
  method: 'readPaymentMethodSetup' | 'releasePaymentMethod',
): Request | undefined {
  const { does: operation, customer, as } = action;
  const setup = setups.get(setupNameOf(action))?.id;
  if (setup === undefined) return undefined;
  const auth = customerOf(customer, as);
  const what = { operation, asked: `${operation} ${setup}`, setup };
  const input = { paymentMethodSetupId: setup };
  return { auth, what, call: (chairside) => chairside[method](auth, input) };
}

/** No client has a secret of it. */
function keep({ opened }: Run, name: string, text: string): void {
  const { id }: { readonly id: string } = JSON.parse(text);
  opened.set(name, { id, clientSecret: '' });
}

/** Actions that send a request. */
type Asks = Exclude<
  Action['does'],
  | HostChange['does']
  | ('present' | 'enter' | 'intrude' | 'notify' | 'deliver' | 'reconcile')
  | ('changeAtProcessor' | 'loseAccount')
>;
export type Asking = Does<Asks>;

export function isAsking(action: Action): action is Asking {
  return Object.hasOwn(requests, action.does);
}

/** An action's request. Undefined for a client without the necessary data. */
export const requestOf = (run: Run, action: Asking) => rowOf(run, action.does, action);

function rowOf<D extends Asks>(run: Run, does: D, action: Does<D>): Request | undefined {
  return requests[does](run, action);
}

const requests: {
  readonly [D in Asks]: (run: Run, action: Does<D>) => Request | undefined;
} = {
  create(run, action) {
    const { appointment, amount, tip, key, as = 'self' } = action;
    const { auth, about, person } = barberOf(run, action);
    const id = appointmentId(appointment);
    const body = { amount, tip };
    const asked = `${appointment} ${amount ?? 'all'}${tip === undefined ? '' : ` tip ${tip}`}`;
    const input = { appointmentId: id, idempotencyKey: key, body };
    return {
      auth,
      what: { ...about, operation: 'create', key, asked },
      success: 201,
      call: (chairside) => chairside.createContactlessPayment(auth, input),
      http: { method: 'POST', path: `/appointments/${id}/contactlessPayments`, person, body },
      learn(text) {
        const opened: { id: string; clientSecret: string } = JSON.parse(text);
        if (as === 'self' || as === 'current') run.opened.set(nameOf(appointment, key), opened);
      },
    };
  },

  capture(run, action) {
    const { appointment, payment, key, reference = payment } = action;
    const id = idOf(run, action);
    const presented = run.references.get(nameOf(appointment, reference));
    if (id === undefined || presented === undefined) return undefined;
    const { auth, about, person } = barberOf(run, action);
    const externalPaymentReference = { id: presented, paymentProcessor: 'processor_a' } as const;
    const body = { externalPaymentReference };
    const input = { contactlessPaymentId: id, idempotencyKey: key, body };
    return {
      auth,
      what: { ...about, operation: 'capture', key, asked: `${id} ${presented}`, payment: id },
      call: (chairside) => chairside.captureContactlessPayment(auth, input),
      http: { method: 'POST', path: `/contactlessPayments/${id}/captured`, person, body },
    };
  },

  cancel: ofKnown((id) => ({
    auth: owner,
    what: { operation: 'cancel', asked: id, payment: id },
    call: (chairside) => chairside.cancelContactlessPayment(owner, { contactlessPaymentId: id }),
  })),

  /** The list of an appointment's payments, and then this one. */
  read(run, action) {
    const { auth, about, person } = barberOf(run, action);
    const id = appointmentId(action.appointment);
    const payment = idOf(run, action);
    return {
      auth,
      what: { ...about, operation: 'read', asked: `list ${action.appointment}` },
      call: (chairside) => chairside.listContactlessPayments(auth, { appointmentId: id }),
      http: { method: 'GET', path: `/appointments/${id}/contactlessPayments`, person },
      next() {
        if (payment === undefined) return [];
        const get: Request = {
          auth,
          what: { ...about, operation: 'get', asked: `get ${payment}`, payment },
          call: (chairside) =>
            chairside.getContactlessPayment(auth, { contactlessPaymentId: payment }),
          http: { method: 'GET', path: `/contactlessPayments/${payment}`, person },
        };
        return [get];
      },
    };
  },

  receipt: ofKnown((id, action, run) => {
    const { auth, about } = barberOf(run, action);
    return {
      auth,
      what: { ...about, operation: 'receipt', asked: `receipt ${id}`, payment: id },
      call: (chairside) => chairside.getReceipt(auth, { contactlessPaymentId: id }),
    };
  }),

  refund: ofKnown((id, { key, amount, tip, as }) => {
    const auth = shopAuth(as);
    const body = { amount, tip };
    const input = { contactlessPaymentId: id, idempotencyKey: key, body };
    const ofTip = tip === undefined ? '' : `tip ${tip} `;
    // The amount is last.
    const asked = `refund ${id} ${ofTip}${amount ?? 'rest'}`;
    return {
      auth,
      what: { operation: 'refund', key, asked, payment: id },
      success: 201,
      call: (chairside) => chairside.refundPayment(auth, input),
      http: { ...refundsOf(id, as), method: 'POST', body },
    };
  }),

  /** The list, and then each refund that it shows. */
  readRefunds: ofKnown((id, { as }) => {
    const auth = shopAuth(as);
    const one = { contactlessPaymentId: id };
    const { path, person } = refundsOf(id, as);
    return {
      auth,
      what: { operation: 'listRefunds', asked: `refunds of ${id}`, payment: id },
      call: (chairside) => chairside.listRefunds(auth, one),
      http: { method: 'GET', path, person },
      next(answer) {
        if (answer?.status !== 200) return [];
        const { items }: { items: readonly { id: string }[] } = JSON.parse(answer.text);
        return items.map(({ id: refundId }) => ({
          auth,
          what: { operation: 'getRefund', asked: refundId, payment: id },
          call: (chairside) => chairside.getRefund(auth, { ...one, refundId }),
          http: { method: 'GET', path: `${path}/${refundId}`, person },
        }));
      },
    };
  }),

  /** Gives back what the visit's payments took beyond the amount due (D49). */
  excess(_, { appointment, key, as }) {
    const auth = shopAuth(as);
    const id = appointmentId(appointment);
    return {
      auth,
      what: { operation: 'excess', key, asked: `excess of ${id}`, appointment: id },
      success: 201,
      call: (chairside) => chairside.refundExcess(auth, { appointmentId: id, idempotencyKey: key }),
    };
  },

  /** Records what was paid without a card (D202). It is returned and voided by the name of its key. */
  tender(run, { appointment, key, amount, as }) {
    const auth = shopAuth(as);
    const id = appointmentId(appointment);
    const body = { kind: 'cash', amount, note: key } as const;
    const input = { appointmentId: id, idempotencyKey: key, body };
    return {
      auth,
      what: { operation: 'recordTender', key, asked: `tender of ${id} ${amount}`, appointment: id },
      success: 201,
      call: (chairside) => chairside.recordTender(auth, input),
      learn: (text) => keep(run, nameOf(appointment, key), text),
    };
  },

  /** Gives back a tender, or cash for a card payment. */
  giveBack: ofKnown((id, { key, amount, as }) => {
    const auth = shopAuth(as);
    const input = { tenderId: id, idempotencyKey: key, body: { amount } };
    return {
      auth,
      what: {
        operation: 'returnTender',
        key,
        asked: `return ${id} ${amount ?? 'rest'}`,
        payment: id,
      },
      success: 201,
      call: (chairside) => chairside.returnTender(auth, input),
    };
  }),

  voidTender: ofKnown((id) => ({
    auth: owner,
    what: { operation: 'voidTender', asked: `void ${id}`, payment: id },
    call: (chairside) => chairside.voidTender(owner, { tenderId: id }),
  })),

  /** Charges a saved method for an appointment (D49). It is refunded as any other payment. */
  charge(run, action) {
    const { appointment, purpose, amount, key, as } = action;
    const setup = run.setups.get(setupNameOf(action))?.id;
    if (setup === undefined) return undefined;
    const auth = shopAuth(as);
    const id = appointmentId(appointment);
    const agreed = { agreedAt: '2026-10-01T09:00:00.000Z', agreementRef: 'terms-7' };
    const body = { purpose, amount, paymentMethodSetupId: setup, ...agreed };
    const input = { appointmentId: id, idempotencyKey: key, body };
    const asked = `charge ${appointment} ${purpose} ${amount} ${setup}`;
    return {
      auth,
      what: { operation: 'charge', key, asked, appointment: id, setup },
      success: 201,
      call: (chairside) => chairside.chargePaymentMethod(auth, input),
      learn: (text) => keep(run, nameOf(appointment, key), text),
    };
  },

  prepare(run, action) {
    const { customer, key, save, as = 'self' } = action;
    const auth = customerOf(customer, as);
    const body = { savePaymentMethod: save };
    const input = { body, ...(key !== undefined && { idempotencyKey: key }) };
    return {
      auth,
      what: { operation: 'prepare', asked: `prepare ${save}`, ...(key !== undefined && { key }) },
      call: (chairside) => chairside.preparePaymentMethod(auth, input),
      learn(text) {
        const { paymentMethodSetupId: id, clientSecret } = JSON.parse(text);
        if (as === 'self') run.setups.set(setupNameOf(action), { id, clientSecret });
      },
    };
  },

  readSetup: (run, action) => ofSetup(run, action, 'readPaymentMethodSetup'),

  withdraw: (run, action) => ofSetup(run, action, 'releasePaymentMethod'),

  register(run, { barber, device }) {
    const auth = terminalSenderOf(barber);
    const body = { platform: 'ios', deviceIdentifier: device } as const;
    return {
      auth,
      what: { operation: 'register', asked: `register ${device}`, device },
      success: 201,
      call: (chairside) => chairside.registerTerminal(auth, { body }),
      learn: (text) => void run.terminals.set(`${barber} ${device}`, JSON.parse(text).id),
    };
  },

  /** A barber's actions with one terminal, even after its removal. */
  useTerminal(run, { how, barber, device, as }) {
    const terminalId = run.terminals.get(`${barber} ${device}`);
    if (terminalId === undefined) return undefined;
    const auth = terminalSenderOf(barber, as);
    const calls = {
      getTerminal: { operation: 'getTerminal', success: 200 },
      unregister: { operation: 'deleteTerminal', success: 204 },
      token: { operation: 'createTerminalConnectionToken', success: 201 },
    } as const;
    const { operation, success } = calls[how];
    return {
      auth,
      what: { operation: how, asked: `${how} ${terminalId}`, terminal: terminalId },
      success,
      call: (chairside) => chairside[operation](auth, { terminalId }),
    };
  },

  listTerminals(_, { barber }) {
    const auth = terminalSenderOf(barber);
    return {
      auth,
      what: { operation: 'listTerminals', asked: 'terminals' },
      call: (chairside) => chairside.listTerminals(auth),
    };
  },

  release(_, { device, as = 'self' }) {
    const businessIds = as === 'self' ? ['shop'] : as === 'other' ? ['another'] : [];
    const auth = { subject: `user-owner-${as}`, businessIds };
    return {
      auth,
      what: { operation: 'release', asked: `release ${device}`, device },
      success: 204,
      call: (chairside) => chairside.releaseTerminal(auth, { deviceIdentifier: device }),
    };
  },
};
