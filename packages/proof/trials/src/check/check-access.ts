import type { AppointmentSnapshot, Claim, Evidence, Expect } from './evidence.ts';
import { during } from './readings.ts';
import type { Exchange } from './request-log.ts';

/** Rejected before the payment or the appointment was read. */
const beforeAccess: ReadonlySet<number> = new Set([400, 401, 408, 413, 415, 429, 431, 500, 503]);

/** Who may act on payments, given the appointment's barber at each moment (D10, D38). */
export function checkAccess(evidence: Evidence, expect: Expect): void {
  const askedBy = new Map(
    evidence.exchanges.map(({ action, subject, asked }) => [`${action} ${subject}`, asked]),
  );
  const claims = Map.groupBy(evidence.claims, ({ record, action }) => {
    const { subject, key } = record;
    return `${subject} ${key} ${askedBy.get(`${action} ${subject}`)}`;
  });
  for (const exchange of evidence.exchanges) {
    const { operation, subject, key, answer, to, as } = exchange;
    if (answer === undefined || to === undefined) continue;
    const said = () => `${operation} ${exchange.asked} as ${as} was answered ${answer.text}`;
    if (ofPayments.has(operation)) {
      const own = claims.get(`${subject} ${key} ${exchange.asked}`) ?? [];
      const may = permissionOf(evidence, exchange, key === undefined ? [] : own);
      const isMissed = answer.status === 404 && exchange.payment === undefined;
      if (isMissed) expect(wasGone(evidence, exchange), 'access', said);
      else if (answer.status === 403) expect(may !== 'always', 'access', said);
      else if (!beforeAccess.has(answer.status)) expect(may !== 'never', 'access', said);
      if (operation === 'read' && answer.status === 200)
        checkList(evidence, exchange, answer.text, expect);
    } else if (ofRefunds.has(operation) && (as === 'self' || as === 'current')) {
      expect(answer.status !== 403 && answer.status !== 404, 'access', said);
    } else if (as === 'roleless' || as === 'other') {
      const isTurnedAway = beforeAccess.has(answer.status) || answer.status === 403;
      const mayMiss =
        mayBeGone.has(operation) || (ofVisits.has(operation) && wasGone(evidence, exchange));
      const isGone = answer.status === 404 && mayMiss;
      expect(isTurnedAway || isGone, 'access', said);
    }
  }
}

type Operation = Exchange['operation'];

/** Operations on records that may be gone. */
const mayBeGone: ReadonlySet<Operation> = new Set([
  'readSetup',
  'withdraw',
  'getTerminal',
  'unregister',
  'token',
  'release',
]);

const ofVisits: ReadonlySet<Operation> = new Set(['charge', 'recordTender']);

/** The shop may always give money of its payments back, and read what was given. */
const ofRefunds: ReadonlySet<Operation> = new Set([
  ...(['refund', 'listRefunds', 'getRefund'] as const),
  ...(['returnTender', 'voidTender'] as const),
]);

const ofPayments: ReadonlySet<Operation> = new Set(['create', 'capture', 'read', 'get', 'receipt']);

type Permission = 'always' | 'sometimes' | 'never';

/** Whether the sender was permitted at every moment of the request, at some, or at none. */
function permissionOf(
  evidence: Evidence,
  exchange: Exchange,
  claims: readonly Claim[],
): Permission {
  const { barberId, payment, from, to = from } = exchange;
  if (barberId === undefined) return 'never';
  if (payment !== undefined) return permissionFor(evidence, exchange, barberId, payment);
  // While a key belongs to a payment, that payment decides.
  const permissions = claims
    .filter(({ moment, gone = to }) => moment < to && gone >= from)
    .map(({ record, moment, gone = to }) => {
      const may = permissionFor(evidence, exchange, barberId, record.resourceId);
      return { may, isAlways: moment < from && gone >= to };
    });
  const [always] = permissions.filter(({ isAlways }) => isAlways);
  if (always !== undefined) return always.may;
  const all = [permissionFor(evidence, exchange, barberId), ...permissions.map(({ may }) => may)];
  if (all.every((may) => may === 'always')) return 'always';
  return all.some((may) => may !== 'never') ? 'sometimes' : 'never';
}

/** The same for one payment, or for the appointment. */
function permissionFor(
  { appointments, begun }: Evidence,
  { appointment = '', from, to = from }: Exchange,
  barberId: string,
  id = '',
): Permission {
  const payment = begun.get(id);
  if (payment?.appointment.barber.id === barberId) return 'always';
  const name = payment?.appointment.id ?? appointment;
  const snapshots = during(appointments.get(name) ?? [], from, to);
  const isLetIn = (snapshot: AppointmentSnapshot) =>
    snapshot.barberId === barberId &&
    (payment === undefined || snapshot.businessId === payment.businessId);
  if (snapshots.every(isLetIn)) return 'always';
  return snapshots.some(isLetIn) ? 'sometimes' : 'never';
}

function wasGone(
  { appointments }: Evidence,
  { appointment = '', from, to = from }: Exchange,
): boolean {
  return during(appointments.get(appointment) ?? [], from, to).some(({ isGone }) => isGone);
}

/** A list shows exactly the payments of the business that has the appointment (D38). */
function checkList(
  { appointments, begun }: Evidence,
  { appointment = '', from, to = from }: Exchange,
  text: string,
  expect: Expect,
): void {
  const listed: { items: readonly { id: string }[]; count: number } = JSON.parse(text);
  const snapshots = during(appointments.get(appointment) ?? [], from, to);
  expect(listed.count === listed.items.length, 'access', () => `${listed.count} are counted`);
  for (const { id } of listed.items) {
    const businessId = begun.get(id)?.businessId;
    const isShown = snapshots.some((snapshot) => snapshot.businessId === businessId);
    expect(isShown, 'access', () => `${id} of ${businessId} is listed for ${appointment}`);
  }
}
