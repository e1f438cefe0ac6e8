import { hourMs, minuteMs, secondMs } from '@chairside/core';
import type { PaymentHandle, ProcessorEvent, RawEvent } from '@chairside/core/ports';
import { describe, expect } from 'vitest';
import {
  amountMinor,
  booksOf,
  messageOf,
  need,
  problem,
  rejected,
  type Suite,
  unreferenced,
  value,
} from './suite.ts';

/** The content of the processor's messages, and which ones are accepted (D25). */
export function eventsContract(suite: Suite): void {
  const { needs, open, authorize, captured, capture } = suite;
  const it = suite.itNeeds('events');
  const now = () => suite.harness().clock.now();
  const takeEvents = () => suite.able('events')();
  const parse = (event: RawEvent, at = now()) => suite.processor().parseEvent(event, at);

  /** A read that may have a fault. */
  const readAnyway = async (payment: PaymentHandle) =>
    (await suite.processor().readPayment(unreferenced(payment))).unwrapOr(undefined);

  /** A message about a payment of ours. */
  async function someEvent(): Promise<RawEvent> {
    await authorize();
    return need('events', (await takeEvents()).at(-1));
  }

  describe('events', () => {
    it('report a payment that is authorized or captured', async () => {
      const payment = await open();
      await takeEvents();
      const reference = await suite.harness().present(payment.clientSecret, 'approve');
      expect(await suite.told()).toContainEqual(messageOf(payment));
      await value(capture({ ...payment, reference }));
      expect(await suite.told()).toContainEqual(messageOf(payment));
    });

    for (const end of ['decline', 'cancelAtTerminal', 'cancel'] as const) {
      it(`report a payment that ends without money, if there is a message: ${end}`, async () => {
        if (end !== 'cancel') needs(end);
        const payment = await open();
        await takeEvents();
        if (end === 'cancel') {
          const reference = await suite.harness().present(payment.clientSecret, 'approve');
          await takeEvents();
          await value(suite.cancel({ ...payment, reference }));
        } else {
          const card = end === 'decline' ? 'decline' : 'cancel';
          await suite.harness().present(payment.clientSecret, card);
        }
        const events = await suite.told();
        if (events.length > 0) expect(events).toContainEqual(messageOf(payment));
      });
    }

    it('have unique ids', async () => {
      await value(capture(await authorize()));
      await authorize();
      const ids = (await suite.told()).map(({ id }) => id);
      expect(ids.length).toBeGreaterThan(2);
      expect(new Set(ids).size).toBe(ids.length);
    });

    it('name the account and the installation of their payment', async () => {
      const { id: account, currency } = await suite.harness().newAccount();
      await takeEvents();
      const payments = [
        await authorize(),
        await authorize(suite.begun({ account, currency })),
        await authorize(suite.begun({ installation: 'another' })),
      ];
      const told = (await suite.told()).filter((event) => event.kind === 'payment');
      for (const payment of payments) {
        const about = told.filter((event) => event.paymentId === payment.paymentId);
        expect(about.length).toBeGreaterThan(0);
        for (const event of about) expect(event).toEqual(messageOf(payment));
      }
    });

    it('have the same id in each delivery', async () => {
      const event = await someEvent();
      await suite.harness().advance?.(2 * secondMs);
      const again = await suite.able('redeliver')(event);
      const parsed = await value(parse(event));
      expect(await value(parse(again))).toEqual(parsed);
      expect(await value(parse(event))).toEqual(parsed);
    });

    for (const kind of ['refund', 'dispute'] as const) {
      it(`report a ${kind}, which changes no state`, async () => {
        needs(kind);
        const payment = await captured();
        await takeEvents();
        await suite.able(kind)(payment.reference, amountMinor);
        const { paymentId, installation, account, reference } = payment;
        const about = { paymentId, installation, account, reference };
        const all = await suite.told();
        const told = all.filter((event) => event.kind === kind);
        // A message of the other kind would be recorded as another loss of the same money.
        const others = all.map((event) => event.kind).filter((other) => other !== kind);
        expect(others).not.toContain(kind === 'refund' ? 'dispute' : 'refund');
        // A processor may send several messages about one refund, and chooses what else they say.
        expect(told.length).toBeGreaterThan(0);
        for (const event of told) {
          expect(event).toMatchObject({
            id: expect.any(String),
            subject: expect.any(String),
            kind,
            ...about,
            amountMinor,
          });
        }
        const seen = await value(suite.processor().readPayment(payment));
        expect(seen).toMatchObject({ status: 'captured', capturedMinor: amountMinor });
      });
    }

    it('report no refund where a payment was canceled', async () => {
      const payment = await authorize();
      await value(suite.cancel(payment));
      const kinds = new Set((await suite.told()).map(({ kind }) => kind));
      expect([...kinds].filter((kind) => kind !== 'payment' && kind !== 'ignored')).toEqual([]);
    });

    it("state when a dispute's message was sent, however late it arrives", async () => {
      const payment = await captured();
      await takeEvents();
      await suite.able('dispute')(payment.reference, 1003n);
      const sentAt = now();
      const sent = await takeEvents();
      await suite.able('advance')(3 * hourMs);
      for (const event of sent) {
        const told = await value(parse(await suite.able('redeliver')(event)));
        if (told.kind !== 'dispute' || told.dispute === undefined) continue;
        expect(Math.abs(told.dispute.at - sentAt)).toBeLessThan(minuteMs);
      }
    });

    for (const kind of ['refund', 'dispute'] as const) {
      it(`of a ${kind} are not ignored because a read has no answer`, async () => {
        needs(kind);
        needs('fail');
        const payment = await captured();
        await takeEvents();
        await suite.able(kind)(payment.reference, 1003n);
        for (const event of await takeEvents()) {
          await suite.able('fail')('readPayment', false);
          const told = await parse(event);
          // Some adapters read nothing. The fault is then left to this read.
          if (told.isOk()) await readAnyway(payment);
          else expect(told.error.kind).toBe('unavailable');
          const again = await value(parse(event));
          if (told.isOk()) expect(told.value).toEqual(again);
        }
      });
    }

    it('about a copy in another account are not about the payment', async () => {
      const { refund, dispute } = suite.harness();
      const payment = await authorize();
      const { id: account } = await suite.harness().newAccount();
      await takeEvents();
      const copied = await suite.able('copy')(payment.reference, account);
      await refund?.(copied, 1003n);
      await dispute?.(copied, 500n);
      // A mark need not name its account. What is shown of the copy then names the account of the copy.
      for (const event of await suite.told()) {
        if (event.kind !== 'ignored') expect(event.account).toBe(account);
      }
      const { processor } = suite;
      const listed = [];
      for (const of of [account, payment.account]) {
        const request = suite.recent({ limit: 10, books: booksOf(processor(), of) });
        const { refunds, disputes, settlements } = processor();
        listed.push(...(await value(processor().listPayments(request))).items);
        if (settlements) {
          const { items } = await value(settlements.listEntries(request));
          for (const entry of items) expect(entry.account).toBe(account);
        }
        // Items of these two name no account. Books of our payment alone have none.
        const isElsewhere = booksOf(processor(), account) !== request.books;
        for (const lists of isElsewhere ? [refunds, disputes] : []) {
          if (lists) expect((await value(lists.listRecent(request))).items).toEqual([]);
        }
      }
      for (const one of listed) expect([payment.account, account]).toContain(one.account);
      const ours = listed.filter(({ account: of }) => of === payment.account);
      expect(ours.map((one) => one.paymentId)).toEqual([payment.paymentId]);
      expect(await suite.read(payment)).toMatchObject({ status: 'authorized' });
    });

    it('tell two refunds of a payment apart', async () => {
      const payment = await captured();
      await takeEvents();
      for (const amountMinor of [1003n, 1n]) {
        await suite.able('refund')(payment.reference, amountMinor);
      }
      const told = (await suite.told()).flatMap((event) =>
        event.kind === 'refund' ? [event] : [],
      );
      const subjects = Map.groupBy(told, ({ subject }) => subject);
      expect(new Set(told.map(({ amountMinor }) => amountMinor))).toEqual(new Set([1003n, 1n]));
      for (const [subject, events] of subjects) {
        expect(new Set(events.map(({ amountMinor }) => amountMinor)).size, subject).toBe(1);
      }
    });

    it('show a dispute, and its end', async () => {
      const payment = await captured();
      const told = async () =>
        (await suite.told()).flatMap((event) => (event.kind === 'dispute' ? [event] : []));
      const listed = async (subject: string) =>
        (await suite.processor().disputes.list(payment))
          .unwrapOr([])
          .find(({ reference }) => reference === subject);
      for (const state of ['won', 'lost'] as const) {
        await takeEvents();
        await suite.able('dispute')(payment.reference, 1003n);
        const { subject, dispute } = need('events', (await told())[0]);
        expect(dispute?.state ?? 'open').toBe('open');
        for (const one of [dispute, await listed(subject)]) {
          const { respondBy = now() + hourMs, currency = suite.account().currency } = one ?? {};
          expect(currency).toBe(suite.account().currency);
          expect(respondBy).toBeGreaterThan(now());
          expect(respondBy).toBeLessThan(now() + 400 * 24 * hourMs);
        }
        await suite.able('closeDispute')(payment.reference, subject, state);
        const closed = (await told()).at(-1);
        expect(closed).toMatchObject({ subject, amountMinor: 1003n, dispute: { state } });
        expect(Math.abs((closed?.dispute?.at ?? 0) - now())).toBeLessThan(minuteMs);
        expect(await listed(subject)).toMatchObject({ state, amountMinor: 1003n });
      }
    });

    it('are ignored if they are about something else', async () => {
      for (const payload of [suite.able('otherMessage')].flat()) {
        const event = await suite.able('redeliver')({ ...(await someEvent()), payload });
        expect(await value(parse(event))).toMatchObject({
          id: expect.any(String),
          kind: 'ignored',
        });
      }
    });

    it('are rejected without their text if they are signed, and no message', async () => {
      const event = await someEvent();
      for (const payload of ['', 'null', '[]', '{}', '7', '{"id":"card 4242"}', 'card 4242 {']) {
        const error = await problem(parse(await suite.able('redeliver')({ ...event, payload })));
        expect(error).toEqual(rejected);
        expect(JSON.stringify(error)).not.toContain('4242');
      }
    });

    it('are rejected, or whole, if a part of them is missing or wrong', async () => {
      const payment = await captured();
      await suite.harness().refund?.(payment.reference, 1003n);
      await suite.harness().dispute?.(payment.reference, 500n);
      const events = new Map<string, RawEvent>();
      for (const event of await takeEvents()) {
        events.set((await value(parse(event))).kind, event);
      }
      for (const event of events.values()) {
        for (const payload of spoiledPayloads(event.payload)) {
          const told = await parse(await suite.able('redeliver')({ ...event, payload }));
          if (told.isOk()) expect(told.value, payload).toSatisfy(isWhole);
        }
      }
    });

    it('are rejected with another body than the signed one', async () => {
      const event = await someEvent();
      const { paymentId } = suite.begun();
      const bodies = [
        `${event.payload} `,
        event.payload.replace(/cpm_[0-9a-z]+/, paymentId),
        event.payload.slice(0, -1),
        '',
      ];
      for (const payload of bodies) {
        expect(payload).not.toBe(event.payload);
        expect(await problem(parse({ ...event, payload }))).toEqual(rejected);
      }
    });

    it('are rejected with a wrong signature or without one', async () => {
      const { payload, headers } = await someEvent();
      expect(await problem(parse({ payload, headers: {} }))).toEqual(rejected);
      for (const spoil of [changeLast, () => '', () => undefined, () => 'signed']) {
        const spoiled = Object.entries(headers).map(([name, text = '']) => [name, spoil(text)]);
        const event = { payload, headers: Object.fromEntries(spoiled) };
        expect(await problem(parse(event))).toEqual(rejected);
      }
    });

    it('are rejected with the signature of another message', async () => {
      const [first, second] = [await someEvent(), await someEvent()];
      const mixed = { payload: first.payload, headers: second.headers };
      expect(await problem(parse(mixed))).toEqual(rejected);
    });

    it('are rejected if their signature is too old or from the future', async () => {
      const event = await someEvent();
      for (const ms of [hourMs / 2, hourMs]) {
        expect(await problem(parse(event, now() + ms))).toEqual(rejected);
        // One from the future could be repeated until then.
        expect(await problem(parse(event, now() - ms))).toEqual(rejected);
      }
      expect((await parse(event)).isOk()).toBe(true);
    });

    it('are rejected later, although the time beside their signature was changed', async () => {
      const { payload, headers } = await someEvent();
      const moved = Object.fromEntries(
        Object.entries(headers).map(([name, text = '']) => [name, laterByAnHour(text)]),
      );
      expect(await problem(parse({ payload, headers: moved }, now() + hourMs))).toEqual(rejected);
    });
  });
}

/** The same text with each of its times, in seconds or milliseconds, an hour later. */
function laterByAnHour(text: string): string {
  return text.replaceAll(
    /\b\d{10}(?:\d{3})?\b/g,
    (time) => `${Number(time) + (time.length === 10 ? hourMs / secondMs : hourMs)}`,
  );
}

/** A JSON message with one of its parts missing, or of another kind; none for other messages. */
function* spoiledPayloads(payload: string): Generator<string> {
  const parts = new Set<string>();
  let count = 0;
  try {
    JSON.parse(payload, (name, part) => {
      count += 1;
      if (count <= mostParts) parts.add(name);
      return part;
    });
  } catch {
    return;
  }
  for (const spoiled of parts) {
    for (const other of [undefined, null, 0, '', '-1', {}]) {
      const text = JSON.stringify(
        JSON.parse(payload, (name, part) => (name === spoiled ? other : part)),
      );
      if (text !== undefined) yield text;
    }
  }
}

const mostParts = 300;

/** Everything that the core reads of an event is there and plausible. */
function isWhole(event: ProcessorEvent): boolean {
  const isText = (text: unknown) => typeof text === 'string' && text !== '';
  if (!isText(event.id)) return false;
  if (event.kind === 'ignored') return true;
  if (![event.paymentId, event.installation, event.account].every(isText)) return false;
  if (event.kind === 'payment') return true;
  if (!isText(event.reference)) return false;
  if (event.kind === 'fraudWarning') return true;
  const { subject, amountMinor: returnedMinor, dispute } = event;
  if (!isText(subject)) return false;
  if (typeof returnedMinor !== 'bigint' || returnedMinor < 0n) return false;
  if (dispute === undefined) return true;
  const { state, at, currency = 'usd', respondBy = 0 } = dispute;
  return (
    ['open', 'won', 'lost'].includes(state) &&
    Number.isFinite(at) &&
    Number.isFinite(respondBy) &&
    isText(currency)
  );
}

/** The same text with another last character. */
function changeLast(text: string): string {
  return `${text.slice(0, -1)}${text.endsWith('0') ? '1' : '0'}`;
}
