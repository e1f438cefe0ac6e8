import { hourMs, minuteMs, type ResultAsync } from '@chairside/core';
import type { Processor, ProcessorError } from '@chairside/core/ports';
import { describe, expect, it } from 'vitest';
import {
  amountMinor,
  beginSetup,
  listedIn,
  messageOf,
  need,
  problem,
  rejected,
  type Suite,
  timeless,
  unreferenced,
  value,
} from './suite.ts';

/**
 * Times within the promised life of a key and at its end, where adapters change behaviour (D20).
 */
const later = [
  { hours: 19, laterMs: 19 * hourMs },
  { hours: 20, laterMs: 20 * hourMs },
];
/** The delay that a busy machine may add to a call that ended in time. */
const slackMs = 1000;

/** The life of a key, and the maximum duration of a call. */
export function timeContract(suite: Suite): void {
  const { needs, begun, open, authorize, captured, capture, cancel, read } = suite;
  const passes = (ms: number) => suite.able('advance')(ms);

  describe.each(later)('after $hours hours', ({ laterMs }) => {
    const it = suite.itNeeds('advance');

    it('an authorized payment is captured for the first time, and another one canceled', async () => {
      const [first, second] = [await authorize(), await authorize()];
      await passes(laterMs);
      expect(await value(capture(first))).toMatchObject({
        status: 'captured',
        capturedMinor: amountMinor,
      });
      expect(await value(cancel(second))).toMatchObject({ status: 'canceled' });
    });

    it('a payment or a setup that was begun and never opened is opened, or refused', async () => {
      const [payment, setup] = [begun(), beginSetup(suite.harness())];
      await passes(laterMs);
      const calls = [suite.processor().openPayment(payment), suite.processor().openSetup(setup)];
      for (const call of calls) {
        const opened = await call;
        if (opened.isOk()) expect(opened.value.clientSecret).toMatch(/./);
      }
    });
  });

  it('shows a capture, a refund and a dispute at the time of its booking, however late it is read', async () => {
    needs('advance');
    const { refunds, disputes } = suite.processor();
    const payment = await authorize();
    const captured = await value(capture(payment));
    await passes(3 * hourMs);
    const begunAt = suite.harness().clock.now();
    expect(captured.capturedAt).toBeLessThan(begunAt - 2 * hourMs);
    await suite.harness().refund?.(payment.reference, 500n);
    await suite.harness().dispute?.(payment.reference, 500n);
    await passes(30 * hourMs);
    const { capturedAt } = captured;
    expect(await read(payment)).toMatchObject({ capturedAt });
    expect(await read(unreferenced(payment))).toMatchObject({ capturedAt });
    for (const one of await listedIn(suite, payment)) expect(one).toMatchObject({ capturedAt });
    const times = [
      ...(await value(refunds.list(payment))).map((one) => one.madeAt),
      ...(await value(disputes.list(payment))).map((one) => one.openedAt ?? Number.NaN),
    ];
    // Some processors count whole seconds.
    for (const at of times) expect(Math.abs(at - begunAt)).toBeLessThan(minuteMs);
  });

  it('shows a refund that failed where it was, and its amount back where it came back', async () => {
    needs('advance', 'refunds');
    const payment = await captured();
    const madeAt = suite.harness().clock.now();
    await suite.harness().refund?.(payment.reference, 500n);
    await passes(3 * hourMs);
    const refunds = need('refunds', suite.processor().refunds);
    const [made] = await value(refunds.list(payment));
    const at = suite.harness().clock.now();
    await suite.able('endRefund')(payment.reference, made?.reference ?? '', 'failed');
    await passes(3 * hourMs);
    const [ended] = await value(refunds.list(payment));
    const { madeAt: shownAt = 0, returnedAt = at } = ended ?? {};
    // Some processors count whole seconds.
    expect(Math.abs(shownAt - madeAt)).toBeLessThan(minuteMs);
    expect(Math.abs(returnedAt - at)).toBeLessThan(minuteMs);
  });

  it('shows when it was authorized and when captured, if time passes in between', async () => {
    needs('advance');
    const authorizedAt = suite.harness().clock.now();
    const payment = await authorize();
    await passes(3 * hourMs);
    const capturedAt = suite.harness().clock.now();
    const captured = await value(capture(payment));
    await passes(3 * hourMs);
    const listed = await listedIn(suite, payment);
    for (const seen of [
      captured,
      await read(payment),
      await read(unreferenced(payment)),
      ...listed,
    ]) {
      // Some processors count whole seconds.
      expect(Math.abs((seen.capturedAt ?? 0) - capturedAt)).toBeLessThan(minuteMs);
      const { authorizedAt: at = authorizedAt } = seen;
      expect(Math.abs(at - authorizedAt)).toBeLessThan(minuteMs);
    }
  });

  it('shows when a setup was completed, if time passes before it and after it', async () => {
    needs('setups', 'setupCompletedAt');
    const { advance } = suite.harness();
    const setup = beginSetup(suite.harness());
    const read = () => value(suite.processor().readSetup(setup));
    const { clientSecret } = await value(suite.processor().openSetup(setup));
    expect(await read()).not.toHaveProperty('completedAt');
    await advance?.(3 * hourMs);
    const at = suite.harness().clock.now();
    await suite.able('completeSetup')(clientSecret);
    await advance?.(3 * hourMs);
    const { completedAt = 0 } = (await read()) ?? {};
    expect(Math.abs(completedAt - at)).toBeLessThan(minuteMs);
  });

  it('keeps an authorized payment until its deadline', async () => {
    needs('advance');
    const [first, second] = [await authorize(), await authorize()];
    const { captureBefore } = await read(first);
    if (captureBefore === undefined) return;
    await passes(captureBefore - minuteMs - suite.harness().clock.now());
    expect(await read(first)).toMatchObject({ status: 'authorized', captureBefore });
    expect(await value(capture(first))).toMatchObject({ capturedMinor: amountMinor });
    expect(await value(cancel(second))).toMatchObject({ status: 'canceled' });
  });

  it('holds an authorization no longer than its deadline says, to within a tenth', async () => {
    needs('advance');
    const payment = await authorize();
    const { captureBefore, authorizedAt = suite.harness().clock.now() } = await read(payment);
    if (captureBefore === undefined) return;
    const heldMs = captureBefore - authorizedAt;
    await passes(Math.ceil(1.1 * heldMs) + minuteMs);
    expect((await capture(payment)).isErr()).toBe(true);
    expect((await read(payment)).status).toMatch(/^(failed|canceled)$/);
  });

  it('shows a payment alike, by reference or not and in a list, when its deadline is over', async () => {
    needs('advance');
    const payment = await authorize();
    const { captureBefore = suite.harness().clock.now() } = await read(payment);
    await suite.told();
    await passes(captureBefore + hourMs - suite.harness().clock.now());
    const seen = await read(payment);
    expect(seen.status).toMatch(/^(authorized|failed|canceled)$/);
    expect(timeless(await read(unreferenced(payment)))).toEqual(timeless(seen));
    for (const { status } of await listedIn(suite, payment)) expect(status).toBe(seen.status);
    const { status } = seen;
    if (status === 'authorized') return;
    expect(await problem(capture(payment))).toEqual(rejected);
    expect(await read(payment)).toMatchObject({ status });
    // A message about the end of the hold concerns the payment.
    const events = await suite.told();
    if (events.length > 0) expect(events).toContainEqual(messageOf(payment));
  });

  it('opens a payment and a setup that were begun some minutes ago', async () => {
    needs('advance');
    const [payment, setup] = [begun(), beginSetup(suite.harness())];
    await passes(10 * minuteMs);
    await open(payment);
    expect(await value(suite.processor().openSetup(setup))).toMatchObject({ status: 'open' });
  });

  it('keeps a captured payment captured when its hold would have ended', async () => {
    needs('advance');
    const payment = await authorize();
    await value(capture(payment));
    await passes(10 * 24 * hourMs);
    expect(await read(payment)).toMatchObject({ status: 'captured', capturedMinor: amountMinor });
  });

  it('ends every call within its deadline when the processor never responds', async () => {
    const stalled = await suite.able('stalled')();
    const answers = await Promise.all(
      Object.entries(callsOf(stalled)).map(async ([name, call]) => ({
        name,
        answer: await inTime(call(), stalled.deadlineMs + slackMs),
      })),
    );
    const unavailable = {
      kind: 'unavailable',
      outcome: expect.stringMatching(/^(unknown|notApplied)$/),
      answered: false,
    };
    for (const { name, answer } of answers) {
      // Some adapters make tokens or sessions locally. Only the processor knows the state of a
      // payment.
      const isAsked = name === 'readPayment' || name === 'capturePayment';
      if (answer !== 'accepted' || isAsked) expect(answer, name).toEqual(unavailable);
    }
  }, 60_000);

  /** Every call of the port that reaches the processor. */
  function callsOf(processor: Processor) {
    const payment = begun();
    const { account } = payment;
    const { terminalLocation } = suite.account();
    const token = { account, ...(terminalLocation !== undefined && { terminalLocation }) };
    const setup = beginSetup(suite.harness());
    const recent = suite.recent();
    const { charges, refunds, disputes, settlements } = processor;
    const method = { customerId: suite.key(), setupReference: 'seti_1', paymentMethod: 'pm_1' };
    return {
      openPayment: () => processor.openPayment(payment),
      readPayment: () => processor.readPayment(payment),
      capturePayment: () => processor.capturePayment(payment),
      cancelPayment: () => processor.cancelPayment(payment),
      createConnectionToken: () => processor.createConnectionToken(token),
      listPayments: () => processor.listPayments(recent),
      readReceipt: () => processor.readReceipt(payment),
      openSetup: () => processor.openSetup(setup),
      readSetup: () => processor.readSetup(setup),
      cancelSetup: () => processor.cancelSetup(setup),
      ...(charges && { authorize: () => charges.authorize({ ...payment, method }) }),
      refund: () => refunds.refund(suite.refundOf(payment)),
      listRefunds: () => refunds.list(payment),
      listRecentRefunds: () => refunds.listRecent(recent),
      listDisputes: () => disputes.list(payment),
      listRecentDisputes: () => disputes.listRecent(recent),
      ...(settlements && {
        listEntries: () => settlements.listEntries(recent),
        listPayouts: () => settlements.listPayouts(recent),
      }),
    };
  }
}

/** The error of a call, or a word for another end. */
async function inTime(
  call: ResultAsync<unknown, ProcessorError>,
  ms: number,
): Promise<ProcessorError | 'late' | 'accepted'> {
  const late = Promise.withResolvers<'late'>();
  const timer = setTimeout(() => late.resolve('late'), ms);
  const answer = await Promise.race([call, late.promise]);
  clearTimeout(timer);
  if (answer === 'late') return answer;
  return answer.isErr() ? answer.error : 'accepted';
}
