import { describe, expect, it } from 'vitest';
import { anAppointment, aPayment, entry, now } from '../../test/support.ts';
import { keyRetentionMs } from '../frame/record.ts';
import type { ProcessorError } from '../ports/processor.ts';
import { err, ok, type Result } from '../values/result.ts';
import { hourMs, minuteMs } from '../values/time.ts';
import { decideCanceling } from './cancel.ts';
import { decideCapture, decidePresented } from './capture.ts';
import type { Dues } from './dues.ts';
import { followBooks } from './follow.ts';
import { closed, decideOpening } from './opening.ts';
import type { Payment, ProcessorPayment } from './payment.ts';
import { whyNeverFits } from './reserving.ts';

const lost: ProcessorError = { kind: 'unavailable', outcome: 'unknown', answered: false };
const failed: ProcessorError = { kind: 'unavailable', outcome: 'unknown', answered: true };
const unreached: ProcessorError = { kind: 'unavailable', outcome: 'notApplied', answered: false };
const busy: ProcessorError = { kind: 'rateLimited' };
const cutOff: ProcessorError = { kind: 'notSetUp' };
const rejected: ProcessorError = { kind: 'rejected', reason: 'declined_by_account' };

describe('an opening (D20, D22)', () => {
  type Reply = Result<string, ProcessorError>;
  type Look = Result<string | undefined, ProcessorError>;
  const shown = ok('shown');
  const nothing = ok(undefined);
  const withdraw = (error: ProcessorError) => ({ next: 'withdraw', error });
  const unknown = (needsNewKey: boolean) => ({ next: 'unknown', needsNewKey });

  it.each<[string, boolean, boolean, Reply | undefined, Look | undefined, object]>([
    ['first calls the processor', true, false, undefined, undefined, { next: 'send' }],
    ['records the reply', true, false, ok('id'), undefined, { next: 'record', seen: 'id' }],
    ['is withdrawn if refused at first', true, false, rejected_(), undefined, withdraw(rejected)],
    ['is withdrawn if cut off at first', true, false, err(cutOff), undefined, withdraw(cutOff)],
    ['is withdrawn if limited at first', true, false, err(busy), undefined, withdraw(busy)],
    ['is withdrawn if unreached', true, false, err(unreached), undefined, withdraw(unreached)],
    ['looks after a lost reply', true, false, err(lost), undefined, { next: 'readAfter' }],
    ['is unknown if it cannot look', true, false, err(failed), err(lost), unknown(false)],
    ['takes over what it finds', true, false, err(lost), shown, { next: 'record', seen: 'shown' }],
    ['keeps its key after a lost reply', true, false, err(lost), nothing, unknown(false)],
    ['changes its key after a failure', true, false, err(failed), nothing, unknown(true)],
    ['later looks if refused', false, false, rejected_(), undefined, { next: 'readAfter' }],
    ['later is withdrawn if refused', false, false, rejected_(), nothing, withdraw(rejected)],
    ['later is unknown if limited', false, false, err(busy), undefined, unknown(false)],
    ['later is unknown if unreached', false, false, err(unreached), undefined, unknown(false)],
    ['too late only looks', true, true, undefined, undefined, { next: 'readAfter' }],
    ['too late records', true, true, undefined, shown, { next: 'record', seen: 'shown' }],
    ['too late is closed', true, true, undefined, nothing, { next: 'close' }],
    ['too late is unknown', true, true, undefined, err(lost), unknown(false)],
  ])('%s', (_, isFirstCall, isOver, sent, after, expected) => {
    expect(decideOpening({ isFirstCall, isOver, sent, after })).toEqual(expected);
  });

  it.each<[string, 'unread' | Look, object]>([
    ['reads before it opens again', 'unread', { next: 'readBefore' }],
    ['records what it finds before', shown, { next: 'record', seen: 'shown' }],
    ['opens if it finds none', nothing, { next: 'send' }],
    ['opens nothing if it cannot read', err(lost), unknown(false)],
  ])('of upkeep %s (D42)', (_, before, expected) => {
    expect(decideOpening({ isFirstCall: false, isOver: false, before })).toEqual(expected);
  });

  it('keeps its key for as long as any, once it is closed', () => {
    expect(closed(aPayment(), now).nextCheckAt).toBe(now + keyRetentionMs);
  });

  function rejected_(): Reply {
    return err(rejected);
  }
});

const due: Dues = {
  appointment: anAppointment({ amountDueMinor: 4500n }),
  business: undefined,
  ledger: { appointmentId: 'a', capturedMinor: 0n, reservedMinor: 4500n, openPayments: 1 },
};
const authorized = entry({ status: 'authorized' });
const captured = entry({ status: 'captured' });
const canceled = entry({ status: 'canceled' });
const declined = entry({ status: 'failed' });

describe('a capture whose amount is reserved (D13, D16)', () => {
  type Sent = Result<ProcessorPayment, ProcessorError>;
  type Look = Result<ProcessorPayment | undefined, ProcessorError>;
  const record = (seen: ProcessorPayment) => ({ next: 'record', seen });
  const unknown = (needsNewKey: boolean) => ({ next: 'unknown', needsNewKey });
  const stopped = (needsNewKey: boolean) => ({ next: 'notSetUp', needsNewKey });

  it.each<[string, ProcessorPayment, Sent | undefined, Look | undefined, object]>([
    ['is sent once what is due was compared', authorized, undefined, undefined, { next: 'send' }],
    ['is recorded', authorized, ok(captured), undefined, record(captured)],
    ['is not sent if it is captured', captured, undefined, undefined, record(captured)],
    ['is not sent if it is canceled', canceled, undefined, undefined, record(canceled)],
    [
      'turns back if declined',
      declined,
      undefined,
      undefined,
      { next: 'turnBack', seen: declined },
    ],
    ['looks if the account is cut off', authorized, err(cutOff), undefined, { next: 'readAfter' }],
    ['changes its key if it was cut off', authorized, err(cutOff), ok(authorized), stopped(true)],
    ['keeps its key if it is still cut off', authorized, err(cutOff), err(cutOff), stopped(false)],
    ['stops if cut off, and not shown', authorized, err(cutOff), ok(undefined), stopped(false)],
    ['is recorded though it was cut off', authorized, err(cutOff), ok(captured), record(captured)],
    ['looks after a lost reply', authorized, err(lost), undefined, { next: 'readAfter' }],
    ['looks after a refusal', authorized, err(rejected), undefined, { next: 'readAfter' }],
    ['is recorded as found', authorized, err(lost), ok(captured), record(captured)],
    ['keeps its key after a lost reply', authorized, err(lost), ok(authorized), unknown(false)],
    ['changes its key after a failure', authorized, err(failed), ok(authorized), unknown(true)],
    ['is unknown if it cannot look', authorized, err(failed), err(lost), unknown(false)],
    ['is unknown if nothing is shown', authorized, err(failed), ok(undefined), unknown(false)],
    ['keeps its key while it is in flight', authorized, ok(authorized), undefined, unknown(false)],
  ])('%s', (_, before, sent, after, expected) => {
    expect(decideCapture(aPayment(), { before, dues: ok(due), sent, after })).toEqual(expected);
  });

  it('keeps its key if a request is in flight and shown as processing', () => {
    const before = entry({ status: 'processing' });
    const reserved = aPayment({ reserved: true });
    expect(decideCapture(reserved, { before, dues: ok(due) })).toEqual(unknown(false));
    expect(decideCapture(aPayment(), { before })).toEqual({ next: 'turnBack', seen: before });
  });

  it.each([
    ['amount', { amountMinor: 4501n }],
    ['currency', { currency: 'usd' }],
    ['account', { account: 'acct_elsewhere' }],
    ['fee', { applicationFeeMinor: 1n }],
  ])('is not sent if the processor shows another %s', (_, change) => {
    const before = entry({ status: 'authorized', ...change });
    expect(decideCapture(aPayment(), { before, dues: ok(due) })).toEqual({
      next: 'release',
      why: 'differsAtProcessor',
    });
    // An earlier request may still end.
    const after = { ...before, status: 'captured' } as const;
    const found = decideCapture(aPayment(), { before: after, dues: ok(due) });
    expect(found).toEqual(record(after));
  });

  it.each<[string, Partial<Dues>, string]>([
    ['a lower amount due', { appointment: anAppointment({ amountDueMinor: 4499n }) }, 'exceeds'],
    ['what was captured', { ledger: { ...due.ledger, capturedMinor: 1n } }, 'exceeds'],
    ['other reservations', { ledger: { ...due.ledger, reservedMinor: 4501n } }, 'exceeds'],
    ['an appointment that is gone', { appointment: undefined }, 'appointmentGone'],
    ["the ledger's currency", { ledger: { ...due.ledger, currency: 'usd' } }, 'currencyChanged'],
    ["the business's currency", { business: paidIn('usd') }, 'currencyChanged'],
  ])('is released for %s', (_, over, why) => {
    const decided = decideCapture(aPayment(), {
      before: authorized,
      dues: ok({ ...due, ...over }),
    });
    expect(decided).toEqual({ next: 'release', why: expect.stringContaining(why) });
  });

  it('is compared first, and not sent if the comparison fails (D79)', () => {
    expect(decideCapture(aPayment(), { before: authorized })).toEqual({ next: 'compare' });
    const unread = decideCapture(aPayment(), { before: authorized, dues: err('unread') });
    expect(unread).toEqual({ next: 'unread' });
  });

  function paidIn(currency: string) {
    return { id: 'b', name: 'B', processorAccount: { id: 'acct', currency } };
  }
});

describe('a cancelation (D17)', () => {
  const work = { kind: 'cancel', fence: 1, attempt: 1, leaseUntil: now } as const;
  const asked = { ...aPayment(), work: { ...work, cause: 'requested' as const } };
  const expired = { ...aPayment(), work: { ...work, cause: 'expired' as const } };
  const reserved = { ...asked, reserved: true };
  type Reply = Result<ProcessorPayment | undefined, ProcessorError>;
  const record = (status: string) => ({ next: 'record', seen: { status } });
  const unknown = (needsNewKey: boolean) => ({ next: 'unknown', needsNewKey });
  const open = ok(entry({ status: 'created' }));
  // By the processor's own times, independent of the node's clock (D42).
  const opened = (agoMs: number) => ok(entry({ status: 'created', openedAt: now - agoMs }));
  const over = opened(15 * minuteMs);
  const fresh = opened(15 * minuteMs - 1);
  const nothing = ok(undefined);
  const shown = (seen: ProcessorPayment): Reply => ok(seen);

  it.each<[string, typeof asked | typeof expired, Reply[], object]>([
    ['looks first', asked, [], { next: 'readBefore' }],
    ['is unknown if it cannot look', asked, [err(lost)], unknown(false)],
    ['finds it captured', asked, [shown(captured)], record('captured')],
    ['finds it canceled', asked, [shown(canceled)], record('canceled')],
    ['is sent', asked, [shown(authorized)], { next: 'send' }],
    ['is sent for an open one', expired, [over], { next: 'send' }],
    ['keeps one that was just opened', expired, [fresh], { next: 'keep' }],
    ['is sent for one that is not there', asked, [nothing], { next: 'send' }],
    ['keeps a card that came late', expired, [shown(authorized)], { next: 'keep' }],
    ['is sent for an expired one that is not there', expired, [nothing], { next: 'send' }],
    ['is recorded', asked, [open, shown(canceled)], record('canceled')],
    ['is unknown until it ends', asked, [open, shown(authorized)], unknown(false)],
    ['counts absence as canceled', asked, [nothing, nothing], record('canceled')],
    ['proves nothing by absence if reserved', reserved, [nothing, nothing], unknown(true)],
    ['looks after a failure', asked, [open, err(failed)], { next: 'readAfter' }],
    ['is unknown if it still cannot', asked, [open, err(failed), err(lost)], unknown(false)],
    ['loses against a capture', asked, [open, err(rejected), shown(captured)], record('captured')],
    ['keeps its key after a lost reply', asked, [open, err(lost), open], unknown(false)],
    ['changes its key after a failure', asked, [open, err(failed), open], unknown(true)],
    ['changes its key if cut off', asked, [open, err(cutOff), open], unknown(true)],
  ])('%s', (_, payment, [before, sent, after], expected) => {
    expect(decideCanceling(payment, { before, sent, after }, now)).toMatchObject(expected);
  });

  it('releases an authorization whose own time is over', () => {
    const late = shown(entry({ status: 'authorized', captureBefore: now }));
    expect(decideCanceling(expired, { before: late }, now)).toEqual({ next: 'send' });
  });
});

describe('a payment that was presented (D16)', () => {
  const payment = aPayment({ amountMinor: authorized.amountMinor });
  const { amountMinor } = authorized;
  const partly = { ...authorized, authorizedMinor: amountMinor - 1n };
  const refuse = (reason: string) => ({ next: 'refuse', fault: { attributes: { reason } } });
  const differs = { next: 'release', cause: 'differsAtProcessor' };

  it.each<[string, Payment, ProcessorPayment, object]>([
    ['is captured', payment, authorized, { next: 'capture' }],
    ['is captured if it is reserved', { ...payment, reserved: true }, partly, { next: 'capture' }],
    ['in part is released', payment, partly, { next: 'release', cause: 'partiallyAuthorized' }],
    [
      'is released after its time',
      payment,
      { ...authorized, captureBefore: now },
      { next: 'release', cause: 'expired' },
    ],
    ['with another amount is released', payment, { ...authorized, amountMinor: 1n }, differs],
    ['in another currency is released', payment, { ...authorized, currency: 'usd' }, differs],
    ['in another account is released', payment, { ...authorized, account: 'acct_other' }, differs],
    [
      'with another amount, already canceled, is refused as canceled',
      payment,
      { ...entry({ status: 'canceled' }), amountMinor: 1n },
      { next: 'refuse', fault: { type: 'contactlessPaymentCanceled' } },
    ],
    ['without a card is refused', payment, entry({ status: 'created' }), refuse('notProcessed')],
    [
      'with a declined card is refused',
      payment,
      declined,
      { next: 'refuse', fault: { type: 'contactlessPaymentDeclined' } },
    ],
    [
      'that is canceled is refused',
      payment,
      canceled,
      { next: 'refuse', fault: { type: 'contactlessPaymentCanceled' } },
    ],
    [
      'that is canceled after its time is refused',
      payment,
      { ...canceled, captureBefore: now, openedAt: now - hourMs },
      { next: 'refuse', fault: { type: 'contactlessPaymentCanceled' } },
    ],
  ])('%s', (_, found, seen, expected) => {
    expect(decidePresented(found, seen, now, now)).toMatchObject(expected);
  });

  it('is released by the time that all nodes share, and not by the own', () => {
    const dueSoon = { ...authorized, captureBefore: now };
    expect(decidePresented(payment, dueSoon, now, now - 1).next).toBe('capture');
    expect(decidePresented(payment, dueSoon, now - 1, now).next).toBe('release');
  });

  it('shows the state after the entry', () => {
    const { followed } = { followed: undefined, ...decidePresented(payment, authorized, now, now) };
    expect(followed).toEqual(followBooks(payment, authorized, now, 'capture'));
  });
});

describe('an amount that could not be reserved (D13, D39)', () => {
  const appointment = anAppointment({ amountDueMinor: 4500n });
  const ledger = { ...due.ledger, reservedMinor: 0n };

  it.each([
    ['waits for another capture', { reservedMinor: 4500n }, undefined],
    ['never fits beside what is captured', { capturedMinor: 1n }, 'exceedsRemainingBalance'],
    ['never fits beside what is tendered', { tenderedMinor: 1n }, 'exceedsRemainingBalance'],
    ['never fits another currency', { currency: 'usd' }, 'currencyChanged'],
  ])('%s', (_, over, why) => {
    const payment = aPayment({ amountMinor: 4500n });
    const dues = { appointment, business: undefined, ledger: { ...ledger, ...over } };
    expect(whyNeverFits(payment, dues)).toBe(why);
  });

  it('waits if it is a tip, which pays nothing that is due (D48)', () => {
    const tip = aPayment({ amountMinor: 500n, tipMinor: 500n });
    const dues = { appointment, business: undefined, ledger: { ...ledger, capturedMinor: 4501n } };
    expect(whyNeverFits(tip, dues)).toBeUndefined();
  });

  it('never fits what is due in another currency', () => {
    const business = {
      id: 'shop',
      name: 'Shop',
      processorAccount: { id: 'acct', currency: 'chf' },
    };
    expect(whyNeverFits(aPayment(), { appointment, business, ledger })).toBe('currencyChanged');
    expect(whyNeverFits(aPayment(), { appointment: undefined, business, ledger })).toBe(
      'appointmentGone',
    );
  });
});
