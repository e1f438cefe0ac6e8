import { paidMinor } from './check-takes.ts';
import type { Evidence, Expect, State } from './evidence.ts';
import { during, keptMinor, minor, wasActedOn } from './readings.ts';
import type { Exchange } from './request-log.ts';

/** What was paid without a card, as it was written, is stored, under one key each, and as clients were told. */
export function checkTenders(evidence: Evidence, state: State, expect: Expect): void {
  const storedOf = new Map(state.tenders.map((tender) => [tender.id, tender]));
  const keys = new Set(evidence.claims.map(({ record }) => record.resourceId));
  for (const { act } of evidence.tenders.values()) {
    const { id, amountMinor } = act;
    const stored = storedOf.get(id);
    const leftMinor = stored && stored.amountMinor - stored.returnedMinor;
    const isVoided = stored?.voidedAt !== undefined;
    expect(stored?.amountMinor === amountMinor, 'durable', () => {
      return `${id} of ${amountMinor} was written, and is of ${stored?.amountMinor}`;
    });
    expect(act.act === 'void' || keys.has(id), 'sameKey', () => `${id} has no key`);
    if (act.act !== 'record') continue;
    const kept = keptMinor(evidence, id);
    expect((isVoided ? 0n : leftMinor) === kept, 'agree', () => {
      return `${kept} are left of ${id}, and its record has ${leftMinor}, voided: ${isVoided}`;
    });
  }
  for (const exchange of evidence.exchanges) {
    const { operation, asked, answer } = exchange;
    if (answer === undefined || !operation.endsWith('Tender')) continue;
    if (answer.status < 300) checkMade(evidence, exchange, answer.text, expect);
    else
      expect(isTrue(evidence, exchange, answer.text), 'truthful', () => {
        return `${asked} was answered ${answer.text}`;
      });
  }
}

interface Told {
  readonly id: string;
  readonly amount: string;
  readonly type?: string;
  readonly attributes?: Readonly<Record<string, string>>;
}

function checkMade(
  evidence: Evidence,
  { operation, asked }: Exchange,
  text: string,
  expect: Expect,
): void {
  const told: Told = JSON.parse(text);
  const amount = asked.split(' ').at(-1);
  const isAsked = operation === 'voidTender' || amount === 'rest' || amount === told.amount;
  const act = evidence.tenders.get(told.id)?.act;
  const isVoided = wasActedOn(evidence, 'void', told.id);
  const isDone = act?.amountMinor === minor(told.amount) && isAsked;
  expect(isDone && (operation !== 'voidTender' || isVoided), 'durable', () => {
    return `${asked} was answered ${text}, and ${act?.amountMinor} was written`;
  });
}

/** A refusal was true at some moment of its request: who is refused learns by how much. */
function isTrue(evidence: Evidence, exchange: Exchange, text: string): boolean {
  const { type, attributes = {} }: Told = JSON.parse(text);
  const { reason, remaining, returnable } = attributes;
  const { asked, payment = '' } = exchange;
  const amount = asked.split(' ').at(-1) ?? '';
  const askedMinor = amount === 'rest' ? 1n : minor(/^[\d.]+$/.test(amount) ? amount : '0.00');
  const isLeft = (told: string | undefined, all: readonly bigint[]) =>
    all.some((left) => left < askedMinor && minor(told ?? '') === (left > 0n ? left : 0n));
  if (type === 'appointmentAlreadyPaid')
    return leftOf(evidence, exchange).some((left) => left <= 0n);
  switch (reason) {
    case 'exceedsRemaining':
      return isLeft(remaining, leftOf(evidence, exchange));
    case 'reservedElsewhere':
      return isLeft(remaining, leftOf(evidence, exchange, 'free'));
    case 'exceedsReturnable':
      return !evidence.tenders.has(payment) || isLeft(returnable, keptDuring(evidence, exchange));
    case 'tenderReturned':
      return wasActedOn(evidence, 'return', payment);
    case 'tenderVoided':
      return wasActedOn(evidence, 'void', payment);
    default:
      return true;
  }
}

/** What the visit owes, at the moments of a request; `free`: without what cards have reserved. */
function leftOf(
  { appointments, ledgers }: Evidence,
  { appointment = '', from, to = from }: Exchange,
  part?: 'free',
): readonly bigint[] {
  const none = { moment: 0, capturedMinor: 0n, reservedMinor: 0n, tenderedMinor: 0n };
  const held = during([none, ...(ledgers.get(appointment) ?? [])], from, to);
  return during(appointments.get(appointment) ?? [], from, to).flatMap(({ dueMinor }) =>
    held.map((one) => dueMinor - paidMinor(one) - (part === 'free' ? one.reservedMinor : 0n)),
  );
}

/** What was left of a tender, at the moments of a request. */
function keptDuring(
  evidence: Evidence,
  { payment = '', from, to = from }: Exchange,
): readonly bigint[] {
  const moments = [...evidence.tenders.values()].map(({ moment }) => moment);
  return [from, ...moments.filter((moment) => moment > from && moment <= to)].map((moment) =>
    keptMinor(evidence, payment, moment),
  );
}
