import { hourMs, type ProcessorEvent, type RawEvent } from '@chairside/core';
import { describe, expect } from 'vitest';
import { amountMinor, need, problem, rejected, type Suite, value } from './suite.ts';

/** The content of the processor's messages, and which ones are accepted (D25). */
export function eventsContract(suite: Suite): void {
  const { needs, open, authorize, capture } = suite;
  const it = suite.itNeeds('events');
  const now = () => suite.harness().clock.now();
  const takeEvents = () => suite.able('events')();
  const parse = (event: RawEvent, at = now()) => suite.processor().parseEvent(event, at);

  async function parseAll(): Promise<readonly ProcessorEvent[]> {
    const parsed: ProcessorEvent[] = [];
    for (const event of await takeEvents()) parsed.push(await value(parse(event)));
    return parsed;
  }

  /** A message about a payment of ours. */
  async function someEvent(): Promise<RawEvent> {
    await authorize();
    return need('events', (await takeEvents()).at(-1));
  }

  describe('events', () => {
    it('report a payment that is authorized or captured', async () => {
      const payment = await open();
      await takeEvents();
      const { paymentId, installation, account } = payment;
      const told = { id: expect.any(String), kind: 'payment', paymentId, installation, account };
      const reference = await suite.harness().present(payment.clientSecret, 'approve');
      expect(await parseAll()).toContainEqual(told);
      await value(capture({ ...payment, reference }));
      expect(await parseAll()).toContainEqual(told);
    });

    it('have unique ids', async () => {
      await value(capture(await authorize()));
      await authorize();
      const ids = (await parseAll()).map(({ id }) => id);
      expect(ids.length).toBeGreaterThan(2);
      expect(new Set(ids).size).toBe(ids.length);
    });

    it('have the same id in each delivery', async (test) => {
      needs(test, 'redeliver');
      const event = await someEvent();
      const again = await suite.able('redeliver')(event);
      const parsed = await value(parse(event));
      expect(await value(parse(again))).toEqual(parsed);
      expect(await value(parse(event))).toEqual(parsed);
    });

    for (const kind of ['refund', 'dispute'] as const) {
      it(`report a ${kind}, which changes no state`, async (test) => {
        needs(test, kind);
        const payment = await authorize();
        await value(capture(payment));
        await takeEvents();
        await suite.able(kind)(payment.reference, amountMinor);
        const { paymentId, installation, account, reference } = payment;
        const about = { paymentId, installation, account, reference };
        const told = (await parseAll()).filter((event) => event.kind === kind);
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

    it('are rejected if their signature is too old', async () => {
      const event = await someEvent();
      expect(await problem(parse(event, now() + hourMs))).toEqual(rejected);
      expect((await parse(event)).isOk()).toBe(true);
    });
  });
}

/** The same text with another last character. */
function changeLast(text: string): string {
  return `${text.slice(0, -1)}${text.endsWith('0') ? '1' : '0'}`;
}
