import { keyRetentionMs } from '@chairside/core/ports';
import type { BookEntry } from '@chairside/testkit';
import { installation } from '../act/run.ts';
import { paidMinor } from './check-takes.ts';
import type { Evidence, Expect, SetupTrail, State } from './evidence.ts';
import { during } from './readings.ts';
import type { Exchange } from './request-log.ts';

/** Setups: the responses to customers, the stored records, and the processor's sessions. */
export function checkSetups(evidence: Evidence, state: State, expect: Expect): void {
  checkOpenings(evidence, expect);
  checkStored(state, expect);
  checkAgreement(evidence, state, expect);
  for (const exchange of evidence.exchanges) {
    if (exchange.operation === 'prepare') checkPrepared(evidence, exchange, expect);
    if (exchange.operation === 'readSetup') checkRead(evidence, exchange, expect);
  }
}

/** A few hours after the faults stopped, only work that must wait is left. */
export function checkSetupsHealed({ at, setups }: State, expect: Expect): void {
  for (const { id, work, nextCheckAt = 0 } of setups) {
    expect(work === undefined || nextCheckAt > at, 'ends', () => `${id} is still being opened`);
  }
}

/** The open call of a withdrawn setup may still arrive: no client has its secret (D20). */
function isOpened(trail: SetupTrail): boolean {
  const { openings, deleted = Number.POSITIVE_INFINITY, closed = deleted } = trail;
  return openings.some((moment) => moment < Math.min(deleted, closed));
}

function checkOpenings({ setups }: Evidence, expect: Expect): void {
  const opened = new Map<string, string>();
  for (const [id, trail] of setups) {
    const { openedAt, claim } = trail;
    expect(openedAt.length <= 1, 'setups', () => `${id} was opened ${openedAt.length} times`);
    if (claim === undefined || trail.isOld || !isOpened(trail)) continue;
    const name = `${claim.subject} ${claim.key}`;
    const first = opened.get(name);
    expect(first === undefined, 'setups', () => `${name} opened ${first} and ${id}`);
    opened.set(name, id);
  }
}

function checkStored({ at, setups }: State, expect: Expect): void {
  for (const { id, work, outcome, nextCheckAt } of setups) {
    expect(work === undefined, 'ends', () => `${id} is left at work`);
    // Kept after its response (D21), so that it becomes due within the retention.
    const isKept =
      nextCheckAt === undefined
        ? // Its method may be charged until the customer withdraws (D49).
          outcome === 'completed'
        : at < nextCheckAt && nextCheckAt <= at + keyRetentionMs;
    expect(isKept, 'ends', () => `${id} was never forgotten`);
  }
}

function checkAgreement(evidence: Evidence, state: State, expect: Expect): void {
  const storedOf = new Map(state.setups.map((setup) => [setup.id, setup]));
  const entryOf = new Map(state.setupEntries.map((entry) => [entry.id, entry]));
  for (const [id, { recorded, deleted, stored }] of evidence.setups) {
    const isThere = storedOf.get(id)?.version === stored.version;
    expect(deleted !== undefined || isThere, 'durable', () => `${id} is gone, or as it once was`);
    if (recorded === undefined) continue;
    const entry = entryOf.get(stored.reference ?? '');
    expect(entry?.setupId === id && entry.clientSecret === stored.clientSecret, 'setups', () => {
      return `${id} is recorded with the session of ${entry?.setupId}`;
    });
    const { customerId = stored.customerId, savePaymentMethod = stored.savePaymentMethod } =
      entry ?? {};
    const isSame =
      customerId === stored.customerId && savePaymentMethod === stored.savePaymentMethod;
    expect(isSame, 'setups', () => `${id} is another one at the processor`);
  }
  for (const { id, setupId, installation: mark, status } of state.setupEntries) {
    const trail = evidence.setups.get(setupId);
    const isOurs = mark === installation && trail !== undefined;
    expect(isOurs, 'orphans', () => `${id} of ${setupId} is nobody's`);
    if (trail === undefined || trail.isOld) continue;
    if (trail.recorded !== undefined) {
      expect(status !== 'open', 'setups', () => `${setupId} is left open at the processor`);
      continue;
    }
    // A setup that was given up and arrived later charges no customer, because no client has its
    // secret.
    const gaveUp = trail.closed ?? trail.deleted ?? Number.POSITIVE_INFINITY;
    const isAfter = trail.openings.every((moment) => moment > gaveUp);
    expect(isAfter, 'agree', () => `${setupId} was opened, and is not recorded`);
  }
}

function checkPrepared({ setups }: Evidence, exchange: Exchange, expect: Expect): void {
  const { action, key, as, subject, asked, from, to, answer } = exchange;
  if (answer === undefined || to === undefined || as !== 'self') return;
  if (answer.status < 300) {
    const said: { paymentMethodSetupId: string; clientSecret: string } = JSON.parse(answer.text);
    const trail = setups.get(said.paymentMethodSetupId);
    const isRecorded = trail?.recorded !== undefined && trail.recorded < to;
    expect(isRecorded, 'durable', () => `${said.paymentMethodSetupId} was answered unrecorded`);
    if (trail === undefined) return;
    const { clientSecret, savePaymentMethod } = trail.stored;
    const isIt = clientSecret === said.clientSecret && asked === `prepare ${savePaymentMethod}`;
    expect(isIt, 'setups', () => `${asked} was answered ${answer.text}`);
    const isOwn =
      trail.claim?.key === key && (key === undefined || trail.claim?.subject === subject);
    expect(isOwn, 'access', () => `${subject} was answered the setup of another key`);
  }
  // Without a key, a request is identified by the time when it ran.
  if (key !== undefined) return;
  const begun = [...setups.values()].filter((trail) => {
    return trail.action === action && trail.begun > from && trail.begun < to;
  });
  const opened = begun.filter(isOpened);
  expect(opened.length <= 1, 'setups', () => `one request opened ${opened.length} setups`);
  const isDenied = answer.outcome === 'notApplied';
  expect(!isDenied || opened.length === 0, 'truthful', () => {
    return `${opened[0]?.stored.id} was opened, and answered ${answer.text}`;
  });
}

function checkRead({ setups }: Evidence, exchange: Exchange, expect: Expect): void {
  const { as, setup: id = '', from, to = from, answer } = exchange;
  const trail = setups.get(id);
  if (answer === undefined || as !== 'self' || trail === undefined) return;
  const { stored, completed = Number.POSITIVE_INFINITY, deleted } = trail;
  const { completedAt = Number.POSITIVE_INFINITY } = trail;
  const isMissed = answer.status === 404 && deleted === undefined;
  expect(!isMissed, 'durable', () => `${id} was opened, and is not found`);
  if (answer.status >= 300) return;
  const said: { status: string; customerId: string; reuseAuthorized: boolean } = JSON.parse(
    answer.text,
  );
  const isRight =
    said.customerId === stored.customerId && said.reuseAuthorized === stored.savePaymentMethod;
  expect(isRight, 'setups', () => `${id} was read as ${answer.text}`);
  const isInTime = completedAt <= stored.expiresAt;
  const isTrue = said.status === 'completed' ? isInTime && completed < to : completed > from;
  expect(isTrue || (!isInTime && said.status === 'expired'), 'setups', () => {
    return `${id} was read ${said.status}, completed: ${completed < to}, in time: ${isInTime}`;
  });
  const isOver = said.status === 'open' && exchange.at >= stored.expiresAt;
  expect(!isOver, 'setups', () => `${id} was read open when its time was over`);
}

/**
 * Charges of saved methods (D49): the processor's books, and the requests that it received, say which
 * method each took money from, and when.
 */
export function checkCharges(evidence: Evidence, state: State, expect: Expect): void {
  const entries = state.entries.filter(({ paymentId }) => evidence.charges.has(paymentId));
  for (const [id, own] of Map.groupBy(entries, ({ paymentId }) => paymentId)) {
    const refused = own.filter(({ history }) => history.some(({ what }) => what === 'declined'));
    expect(refused.length <= 1, 'charged', () => `${id} was refused ${refused.length} times`);
  }
  const taken = entries.filter(({ status }) => status === 'captured');
  checkOnce(evidence, taken, expect);
  checkSingle(evidence, state, taken, expect);
  checkPaidVisits(evidence, expect);
  checkWithdrawn(evidence, expect);
}

/** A fee and a deposit are charged once each for an appointment, with any card. */
function checkOnce(evidence: Evidence, taken: readonly BookEntry[], expect: Expect): void {
  const nameOf = ({ paymentId }: BookEntry) => {
    const { appointment, charge } = evidence.begun.get(paymentId) ?? {};
    return `${charge?.purpose} of ${appointment?.id}`;
  };
  for (const [name, entries] of Map.groupBy(taken, nameOf)) {
    expect(entries.length <= 1, 'charged', () => `the ${name} was taken ${entries.length} times`);
  }
}

/** No fee for a missed visit begins once the visit was paid at its highest price so far. */
function checkPaidVisits(
  { begun, begunIn, appointments, ledgers }: Evidence,
  expect: Expect,
): void {
  for (const [id, { charge, appointment }] of begun) {
    const { from, moment = 0 } = begunIn.get(id) ?? {};
    if (charge?.purpose !== 'noShow' || from === undefined) continue;
    const paid = during(ledgers.get(appointment.id) ?? [], from, moment).map(paidMinor);
    const dues = during(appointments.get(appointment.id) ?? [], 0, from);
    const isPaid = dues.every(
      ({ dueMinor }) => dueMinor > 0n && paid.length > 0 && paid.every((one) => one >= dueMinor),
    );
    expect(
      dues.length === 0 || !isPaid,
      'charged',
      () => `${id} is a fee for a visit that was paid`,
    );
  }
}

/** A method that was not saved bears one charge. */
function checkSingle(
  { charges }: Evidence,
  { setupEntries }: State,
  taken: readonly BookEntry[],
  expect: Expect,
): void {
  const single = new Set(
    setupEntries.filter(({ savePaymentMethod }) => !savePaymentMethod).map(({ id }) => id),
  );
  const setupOf = ({ paymentId }: BookEntry) => charges.get(paymentId)?.method.setupReference ?? '';
  for (const [setup, entries] of Map.groupBy(taken, setupOf)) {
    expect(!single.has(setup) || entries.length <= 1, 'charged', () => {
      return `the method of ${setup} was for one charge, and had ${entries.length}`;
    });
  }
}

/** A method takes no money once its customer has the response to the withdrawal. */
function checkWithdrawn({ exchanges, setups, charges, takes }: Evidence, expect: Expect): void {
  const toldAt = new Map<string, number>();
  for (const { operation, setup = '', answer, to } of exchanges) {
    if (operation !== 'withdraw' || answer?.status !== 200 || to === undefined) continue;
    const reference = setups.get(setup)?.stored.reference ?? '';
    toldAt.set(reference, Math.min(to, toldAt.get(reference) ?? to));
  }
  for (const { payment, moment } of takes) {
    const reference = charges.get(payment)?.method.setupReference ?? '';
    const told = toldAt.get(reference) ?? Number.POSITIVE_INFINITY;
    expect(moment < told, 'charged', () => `${payment} took money from a withdrawn method`);
  }
}
