import { describe, expect, it } from 'vitest';
import {
  type Collected,
  createClient,
  createRegister,
  type Fetch,
  type Reader,
  type Report,
  words,
} from '../src/index.ts';
import { type ExpoDatabase, sqliteJournal } from '../src/journals.ts';
import { hangs, lost, problem } from './scripted-server.ts';
import { need, openShop, openVisit, type Shop } from './shop.ts';
import { memoryJournal, openTill, readerOf, readerThat } from './till.ts';

const capturedAt = (shop: Shop) =>
  shop.processor.entries().filter(({ status }) => status === 'captured');

/** A reader to which no card is held. */
function waitingReader() {
  const events: string[] = [];
  const reader = readerThat((_, signal) => {
    events.push('collect');
    return new Promise((resolve) => {
      signal.addEventListener('abort', () => {
        events.push('cancel');
        resolve('canceled');
      });
    });
  });
  return { reader, events };
}

/** The calls of `expo-sqlite` over a map. After `die`, each query of the handle in use fails for ever. */
function dyingDatabase() {
  const kept = new Map<string, string>();
  const seen = { opened: 0, overlaps: 0 };
  let dead = 0;
  let running = 0;
  async function open(): Promise<ExpoDatabase> {
    seen.opened += 1;
    const own = seen.opened;
    async function query<T>(work: () => T): Promise<T> {
      running += 1;
      if (running > 1) seen.overlaps += 1;
      for (let turn = 0; turn < 3; turn += 1) await undefined;
      running -= 1;
      if (own <= dead) throw new Error('java.lang.NullPointerException');
      return work();
    }
    return {
      execAsync: async () => {},
      runAsync: (source, [key = '', value = '']) =>
        query(() => (source.startsWith('DELETE') ? kept.delete(key) : kept.set(key, value))),
      // cast: as with expo-sqlite, the caller states the type of the rows
      getFirstAsync: <T>(_: string, [key = '']: string[]) =>
        query(() => (kept.has(key) ? ({ value: kept.get(key) } as T) : null)), // cast: as above
      getAllAsync: <T>() => query(() => [...kept.keys()].map((key) => ({ key }) as T)), // cast: as above
    };
  }
  return {
    open,
    seen,
    die() {
      dead = seen.opened;
    },
  };
}

/** A reader that says something else once it has collected a card. */
const sayingThen = (reader: Reader, said: () => Collected | Promise<Collected>): Reader => ({
  ...reader,
  async retrieve(secret, signal) {
    const intent = await reader.retrieve(secret, signal);
    if ('failed' in intent) return intent;
    return { ...intent, collect: (inner) => intent.collect(inner).then(said) };
  },
});

/** A journal with the note of a payment whose card was declined, or an empty one. */
async function journalAfter(
  first: 'no card' | 'a declined card',
  shop: Shop,
  appointmentId: string,
) {
  const journal = memoryJournal();
  if (first === 'no card') return journal;
  const { register } = openTill(shop, { journal, reader: readerOf(shop, 'declined').reader });
  expect(await register.take({ appointmentId })).toMatchObject({ step: 'declined' });
  return journal;
}
/** The processor says of an earlier card that it was declined, until another is approved. */
const firsts = ['no card', 'a declined card'] as const;

/** A network on which each capture is answered so. */
const answeringCaptures =
  (shop: Shop, answer: () => ReturnType<Fetch>): Fetch =>
  (url, init) =>
    url.endsWith('/captured') ? answer() : shop.fetch(url, init);

describe('createRegister', () => {
  const client = createClient({ baseUrl: '/', accessToken: () => 'token' });
  const { reader } = waitingReader();
  const options = { client, reader, journal: memoryJournal(), subject: 'user-ada' };

  it.each(['client', 'reader', 'journal', 'subject'] as const)(
    'throws without %s',
    async (name) => {
      expect(() => createRegister(options)).not.toThrow();
      const { [name]: _, ...others } = options;
      // cast: an app without types may pass it
      const made = () => createRegister(others as typeof options);
      expect(made).toThrow(new TypeError(`${name}: missing or of a wrong type`));
      expect(() => createRegister({ ...options, ...{ word: words } })).toThrow(
        'word: no such option',
      );
    },
  );

  it.each([
    ['client', 'captureContactlessPayment'],
    ['reader', 'ready'],
    ['reader', 'retrieve'],
    ['journal', 'keys'],
    ['journal', 'get'],
    ['journal', 'set'],
    ['journal', 'remove'],
  ] as const)('throws for a %s without %s', (part, name) => {
    for (const wrong of [undefined, null, 'x']) {
      const made = () =>
        createRegister({ ...options, [part]: { ...options[part], [name]: wrong } });
      expect(made).toThrow(new TypeError(`${part}.${name}: missing or of a wrong type`));
    }
  });

  it('takes parts that inherit their methods, or have more of them', () => {
    const journal = { ...memoryJournal(), size: 0 };
    const inherited: Reader = Object.create(reader);
    expect(() => createRegister({ ...options, reader: inherited, journal })).not.toThrow();
  });
});

describe('taking a payment', () => {
  it('says which reference the reader lacks', async () => {
    const { shop, appointmentId } = await openVisit();
    const { reader } = waitingReader();
    // cast: an app without types may return it
    const retrieve = async () => ({ collect: async () => 'approved' }) as never;
    const { register } = openTill(shop, { reader: { ...reader, retrieve } });
    expect(await register.take({ appointmentId })).toMatchObject({
      step: 'stuck',
      reason: 'reader',
      charged: 'no',
      readerSaid: 'The card reader returned no reference of the payment.',
    });
  });

  it('opens, presents, captures, and leaves no note', async () => {
    const { shop, appointmentId } = await openVisit();
    const journal = memoryJournal();
    const { register, steps } = openTill(shop, { journal });
    const taken = await register.take({ appointmentId, amount: '20.00' });
    expect(taken).toMatchObject({ step: 'captured', charged: 'yes', amount: '20.00' });
    expect(register.getSnapshot()).toBe(taken);
    expect(new Set(steps())).toEqual(new Set(['opening', 'presenting', 'capturing', 'captured']));
    expect(journal.kept.size).toBe(0);
    expect(capturedAt(shop)).toHaveLength(1);
  });

  it('asks for another card after a decline, under the same payment', async () => {
    const { shop, appointmentId } = await openVisit();
    const { reader, taps } = readerOf(shop, 'declined', 'visa_credit');
    const { register } = openTill(shop, { reader });
    expect(await register.take({ appointmentId })).toMatchObject({
      step: 'declined',
      charged: 'no',
      words: 'The card was declined. Nothing was charged. Try another card.',
    });
    expect(await register.unfinished()).toEqual([
      { appointmentId, amount: '45.00', mayBeCharged: false },
    ]);
    expect(await register.take({ appointmentId })).toMatchObject({ step: 'captured' });
    expect(taps).toEqual(['declined', 'visa_credit']);
    expect(shop.processor.entries()).toHaveLength(1);
  });

  it('waits for a slow card, and begins anew after a partial approval', async () => {
    const { shop, appointmentId } = await openVisit();
    const { reader } = readerOf(shop, 'partially_authorized', 'slow_to_approve');
    const { register } = openTill(shop, { reader });
    expect(await register.take({ appointmentId })).toMatchObject({
      step: 'declined',
      reason: 'partlyApproved',
      charged: 'no',
    });
    expect(await register.take({ appointmentId })).toMatchObject({ step: 'captured' });
    expect(shop.processor.entries().map(({ status }) => status)).toEqual(['canceled', 'captured']);
  });

  it('does not say "not charged" while another window takes the same payment', async () => {
    const { shop, appointmentId } = await openVisit();
    const journal = memoryJournal();
    const first = openTill(shop, { journal });
    const { reader, events } = waitingReader();
    const second = openTill(shop, { journal, reader });
    const taking = second.register.take({ appointmentId });
    while (events.length === 0) await new Promise(setImmediate);
    expect(await first.register.take({ appointmentId })).toMatchObject({ charged: 'yes' });
    second.register.stop();
    expect(await taking).toMatchObject({ step: 'captured', charged: 'yes' });
    expect(journal.kept.size).toBe(0);
  });

  it('asks to sign in if the token ends between the capture and the look at the payment', async () => {
    const { shop, appointmentId } = await openVisit();
    const { reader } = reportingReader('unknown');
    const fetch: Fetch = async (url, init) => {
      const response = await shop.fetch(url, init);
      if (url.endsWith('/captured')) shop.banned.add('ada');
      return response;
    };
    const { register } = openTill(shop, { reader, fetch });
    expect(await register.take({ appointmentId })).toMatchObject({
      step: 'stuck',
      reason: 'signIn',
      charged: 'unknown',
    });
  });

  it('asks for no card if the barber stops just before', async () => {
    const { shop, appointmentId } = await openVisit();
    const journal = memoryJournal();
    const { reader, events } = waitingReader();
    const { register } = openTill(shop, {
      reader,
      journal: {
        ...journal,
        async set(key, value) {
          await journal.set(key, value);
          if (value.includes('presenting')) register.stop();
        },
      },
    });
    expect(await register.take({ appointmentId })).toMatchObject({ reason: 'stopped' });
    expect(events).toEqual([]);
    expect(journal.kept.size).toBe(0);
  });

  it.each([
    ['throw', 'capturing'],
    ['throw', 'captured'],
    ['are missing', 'captured'],
  ] as const)('takes the payment although the words %s for %s', async (lack, silent) => {
    const { shop, appointmentId } = await openVisit();
    const { register, shown } = openTill(shop, {
      words(step) {
        if (step !== silent) return `${step} in other words`;
        if (lack === 'throw') throw new Error('not translated');
        // cast: an app without types may return it
        return undefined as unknown as string;
      },
    });
    const taken = await register.take({ appointmentId });
    expect(taken).toMatchObject({ step: 'captured', charged: 'yes' });
    const said = shown.find(({ step }) => step === silent)?.words;
    expect(said).toBe(words(silent));
    expect(shown[0]?.words).toBe('opening in other words');
  });

  it('never believes a decline of the reader', async () => {
    const { shop, appointmentId } = await openVisit();
    const { reader } = readerOf(shop, 'visa_credit');
    const lying = sayingThen(reader, () => 'declined');
    const { register } = openTill(shop, { reader: lying });
    expect(await register.take({ appointmentId })).toMatchObject({ step: 'captured' });
  });

  it('explains a canceled card, a paid appointment and another barber', async () => {
    const { shop, appointmentId } = await openVisit();
    const canceled = openTill(shop, { reader: readerOf(shop, 'canceled').reader });
    expect(await canceled.register.take({ appointmentId })).toMatchObject({
      step: 'canceled',
      reason: 'expired',
      charged: 'no',
    });
    const { register } = openTill(shop);
    expect(await register.take({ appointmentId })).toMatchObject({ step: 'captured' });
    expect(await register.take({ appointmentId })).toMatchObject({
      step: 'canceled',
      reason: 'alreadyPaid',
      words: 'Already paid. Nothing more was charged.',
    });
    const ben = openTill(shop, { token: 'ben', subject: 'user-ben' });
    expect(await ben.register.take({ appointmentId })).toMatchObject({ reason: 'noAccess' });
  });
});

describe('an appointment that is paid', () => {
  it('names the payment that paid it, and never says "not charged"', async () => {
    const { shop, appointmentId } = await openVisit();
    const { register } = openTill(shop);
    const { paymentId } = await register.take({ appointmentId });
    expect(await register.take({ appointmentId })).toMatchObject({
      reason: 'alreadyPaid',
      charged: 'yes',
      paidBy: {
        id: paymentId,
        amount: '45.00',
        capturedAt: expect.stringMatching(/Z$/),
        card: { maskedPersonalAccountNumber: expect.stringMatching(/^\*\d{4}$/) },
      },
    });
    expect(JSON.stringify(register.getSnapshot())).not.toContain('clientSecret');
  });

  it('leaves the charge unknown if the payments cannot be listed', async () => {
    const { shop, appointmentId } = await openVisit();
    const { register } = openTill(shop, {
      fetch: async (url, init) => {
        if (init.method === 'GET') throw new Error('offline');
        return shop.fetch(url, init);
      },
    });
    await register.take({ appointmentId });
    const unlisted = await register.take({ appointmentId });
    expect(unlisted).toMatchObject({ reason: 'alreadyPaid', charged: 'unknown' });
    expect(unlisted.paidBy).toBeUndefined();
  });

  it('does not say so of an appointment that has no price', async () => {
    const shop = await openShop();
    const appointmentId = await shop.putAppointment('a-1', '0.00');
    expect(await openTill(shop).register.take({ appointmentId, amount: '45.00' })).toMatchObject({
      step: 'canceled',
      reason: 'noPrice',
      charged: 'no',
      words: 'The shop asks nothing for this appointment, or not yet. Nothing more was charged.',
    });
  });

  it('makes no guess when a payment is resumed that left no note', async () => {
    const { shop, appointmentId } = await openVisit();
    const { register } = openTill(shop);
    expect(await register.resume(appointmentId)).toMatchObject({
      step: 'idle',
      reason: 'ended',
      charged: 'unknown',
    });
    const { paymentId } = await register.take({ appointmentId });
    expect(await register.resume(appointmentId)).toMatchObject({
      reason: 'ended',
      charged: 'yes',
      paidBy: { id: paymentId },
    });
  });
});

describe('two phones for one appointment', () => {
  it('charge it once, and the slower one shows that', async () => {
    const { shop, appointmentId } = await openVisit();
    const first = openTill(shop);
    const second = openTill(shop);
    const ends = await Promise.all([
      first.register.take({ appointmentId }),
      second.register.take({ appointmentId }),
    ]);
    expect(ends.map(({ step }) => step).toSorted()).toEqual(['canceled', 'captured']);
    expect(capturedAt(shop)).toHaveLength(1);
  });

  it('stop the reader of the one that waits, and name the payment of the other', async () => {
    const { shop, appointmentId } = await openVisit();
    const { reader, events } = waitingReader();
    const second = openTill(shop, { reader });
    const waiting = second.register.take({ appointmentId });
    while (events.length === 0) await new Promise(setImmediate);
    const began = second.time.now();
    const { paymentId } = await openTill(shop).register.take({ appointmentId });
    expect(await waiting).toMatchObject({
      step: 'canceled',
      reason: 'paidElsewhere',
      charged: 'yes',
      words: 'Another payment was charged. Nothing more was charged.',
      paidBy: { id: paymentId, amount: '45.00' },
    });
    expect(events).toEqual(['collect', 'cancel']);
    // Its time runs on while the other phone takes the payment.
    expect(second.time.now() - began).toBeLessThan(60_000);
  });

  it('name the other payment to a barber whose card covers only a part', async () => {
    const { shop, appointmentId } = await openVisit();
    const journal = memoryJournal();
    const { reader, taps } = readerOf(shop, 'partially_authorized');
    const killed = openTill(shop, {
      journal,
      reader,
      fetch: answeringCaptures(shop, hangs),
    });
    void killed.register.take({ appointmentId });
    while (taps.length === 0) await new Promise(setImmediate);
    killed.kill();
    const { paymentId } = await openTill(shop).register.take({ appointmentId });
    expect(await openTill(shop, { journal }).register.resume(appointmentId)).toMatchObject({
      step: 'canceled',
      reason: 'paidElsewhere',
      charged: 'yes',
      paidBy: { id: paymentId },
    });
  });

  it('ask the server a bounded number of times while they wait, also without a response', async () => {
    for (const isOffline of [false, true]) {
      const { shop, appointmentId } = await openVisit();
      const { reader, events } = waitingReader();
      let asked = 0;
      const { register } = openTill(shop, {
        reader,
        fetch: async (url, init) => {
          if (init.method === 'GET') asked += 1;
          if (isOffline && init.method === 'GET' && events.length === 1) throw new Error('offline');
          return shop.fetch(url, init);
        },
      });
      const taking = register.take({ appointmentId });
      while (events.length < 2) await new Promise(setImmediate);
      expect(asked).toBeGreaterThan(10);
      expect(asked).toBeLessThan(30);
      register.stop();
      await taking;
    }
  });
});

describe('resuming', () => {
  it('captures first after a restart during the tap, and asks for no second card (D103)', async () => {
    const { shop, appointmentId } = await openVisit();
    const journal = memoryJournal();
    const { reader, taps } = readerOf(shop, 'visa_credit');
    const dies = sayingThen(reader, () => new Promise(() => {}));
    const killed = openTill(shop, { journal, reader: dies });
    void killed.register.take({ appointmentId });
    while (taps.length === 0) await new Promise(setImmediate);
    killed.kill();

    const { register } = openTill(shop, { journal, reader });
    expect(await register.unfinished()).toMatchObject([{ appointmentId, mayBeCharged: true }]);
    expect(await register.resume(appointmentId)).toMatchObject({ step: 'captured' });
    expect(taps).toHaveLength(1);
    expect(journal.kept.size).toBe(0);
  });

  it.each(firsts)('captures a card that is approved after the restart, after %s', async (first) => {
    const { shop, appointmentId } = await openVisit();
    const journal = await journalAfter(first, shop, appointmentId);
    const killed = openStoppedTill(shop, 'never', 1_000_000_000, { journal });
    void killed.register.take({ appointmentId });
    while (killed.taps() === 0) await new Promise(setImmediate);
    killed.kill();
    const { register, time } = openTill(shop, { journal });
    time.after(1500, killed.approve);
    expect(await register.resume(appointmentId)).toMatchObject({ step: 'captured' });
  });

  it('captures a card that a lost phone has read, once the service lists it', async () => {
    const { shop, appointmentId } = await openVisit();
    const gone = openStoppedTill(shop, 'never');
    void gone.register.take({ appointmentId });
    while (gone.taps() === 0) await new Promise(setImmediate);
    gone.kill();
    const { register, journal } = openTill(shop);
    expect(await register.resume(appointmentId)).toMatchObject({ reason: 'ended' });
    for (const event of need(shop.processor.takeEvents())) {
      need(await shop.chairside.receiveProcessorEvent(event));
    }
    const paid = { step: 'captured', amount: '45.00' };
    expect(await register.resume(appointmentId)).toMatchObject(paid);
    expect(await journal.keys()).toEqual([]);
  });

  it.each([
    ['goes on', 'approved', { step: 'captured' }],
    ['goes on', 'canceled', { reason: 'otherWindow', charged: 'unknown' }],
    ['is killed', 'approved', undefined],
  ] as const)(
    'asks again about a card that a register still reads, which %s: %s',
    async (then, said, end) => {
      const { shop, appointmentId } = await openVisit();
      const journal = memoryJournal();
      const limits = { presentMs: 1_000_000_000 };
      const first = openStoppedTill(shop, 'never', limits.presentMs, { journal, limits });
      const taking = first.register.take({ appointmentId });
      while (first.taps() === 0) await new Promise(setImmediate);
      if (then === 'is killed') first.kill();
      const { register } = openTill(shop, { journal });
      const waiting = { step: 'idle', reason: 'waiting' };
      expect(await register.resume(appointmentId)).toMatchObject(waiting);
      expect(await register.unfinished()).toMatchObject([{ mayBeCharged: true }]);
      if (said === 'approved') first.approve();
      first.endLate(said);
      if (end) expect(await taking).toMatchObject(end);
      first.kill();
      const last = said === 'approved' ? { step: 'captured' } : waiting;
      expect(await register.resume(appointmentId)).toMatchObject(last);
    },
  );

  it('closes an unpaid payment whose amount has changed, and takes the new amount', async () => {
    const { shop, appointmentId } = await openVisit();
    const { reader, taps } = readerOf(shop, 'declined', 'visa_credit');
    const { register, journal } = openTill(shop, { reader });
    await register.take({ appointmentId, amount: '45.00' });
    expect(await register.take({ appointmentId, amount: '30.00' })).toMatchObject({
      step: 'captured',
      amount: '30.00',
    });
    expect(taps).toHaveLength(2);
    expect(shop.processor.entries().map(({ amountCaptured }) => amountCaptured)).toEqual([
      '0.00',
      '30.00',
    ]);
    expect(await journal.keys()).toEqual([]);
  });

  it('captures a card of the last amount before it takes another', async () => {
    const { shop, appointmentId } = await openVisit();
    const journal = memoryJournal();
    const { reader, taps } = readerOf(shop, 'visa_credit');
    const killed = openTill(shop, {
      journal,
      reader,
      fetch: answeringCaptures(shop, hangs),
    });
    void killed.register.take({ appointmentId, amount: '45.00' });
    while (taps.length === 0) await new Promise(setImmediate);
    killed.kill();
    const { register } = openTill(shop, { journal, reader });
    expect(await register.take({ appointmentId, amount: '30.00' })).toMatchObject({
      step: 'captured',
      amount: '45.00',
    });
    expect(capturedAt(shop)).toHaveLength(1);
  });

  it('leaves the charge unknown after access was lost, and continues when it is back', async () => {
    const { shop, appointmentId } = await openVisit();
    const journal = memoryJournal();
    const { reader } = readerOf(shop, 'visa_credit');
    const { register } = openTill(shop, {
      journal,
      reader: sayingThen(reader, () => {
        shop.banned.add('ada');
        return 'approved';
      }),
    });
    expect(await register.take({ appointmentId })).toMatchObject({
      step: 'stuck',
      charged: 'unknown',
    });
    expect([...journal.kept.values()].join()).toContain('"stuck":"signIn"');
    shop.banned.clear();
    expect(await register.resume(appointmentId)).toMatchObject({ step: 'captured' });
  });

  it.each(['notFound', 'methodNotAllowed'])(
    'leaves the charge unknown if %s follows a lost response',
    async (name) => {
      const { shop, appointmentId } = await openVisit();
      const { reader } = readerOf(shop, 'visa_credit');
      const refusal = problem(404, name);
      let captures = 0;
      const { register } = openTill(shop, {
        reader,
        fetch: async (url, init) => {
          if (!url.endsWith('/captured')) return shop.fetch(url, init);
          captures += 1;
          if (captures > 1) return refusal();
          await shop.fetch(url, init);
          return lost();
        },
      });
      expect(await register.take({ appointmentId })).toMatchObject({
        reason: 'askShop',
        charged: 'unknown',
      });
      expect(capturedAt(shop)).toHaveLength(1);
    },
  );

  it('asks the server about an open note with a reference, and captures a card that it finds', async () => {
    const { shop, appointmentId } = await openVisit();
    const journal = memoryJournal();
    const failing = reportingReader({ said: 'unknown', needsPerson: true, failed: 'Failed.' });
    const { register, client } = openTill(shop, { journal, reader: failing.reader });
    const { paymentId } = await register.take({ appointmentId });
    expect([...journal.kept.values()].join()).toContain('"state":"opened"');
    const open = await client.getContactlessPayment({ contactlessPaymentId: String(paymentId) });
    need(shop.processor.presentCard(need(open).clientSecret, 'visa_credit'));
    expect(await register.resume(appointmentId)).toMatchObject({ step: 'captured' });
  });

  it('captures a card although the handle of its database died after the tap', async () => {
    const { shop, appointmentId } = await openVisit();
    const database = dyingDatabase();
    const { reader } = readerOf(shop, 'visa_credit');
    const killing: Reader = {
      ...reader,
      async retrieve(secret, signal) {
        const intent = await reader.retrieve(secret, signal);
        database.die();
        return intent;
      },
    };
    const { register } = openTill(shop, { journal: sqliteJournal(database.open), reader: killing });
    expect(await register.take({ appointmentId })).toMatchObject({ step: 'captured' });
    expect(await register.unfinished()).toEqual([]);
    expect(database.seen).toEqual({ opened: 2, overlaps: 0 });
  });

  it('asks one handle one question at a time', async () => {
    const database = dyingDatabase();
    const journal = sqliteJournal(database.open);
    await Promise.all(['a', 'b'].map((key) => journal.set(key, '{}')));
    expect(await Promise.all(['a', 'b', 'c'].map(journal.get))).toEqual(['{}', '{}', undefined]);
    expect(database.seen).toEqual({ opened: 1, overlaps: 0 });
  });

  it('captures a card whose note was read while the clock was years behind', async () => {
    const { shop, appointmentId } = await openVisit();
    const journal = memoryJournal();
    const fetch = answeringCaptures(shop, async () => lost());
    const { register, time } = openTill(shop, { journal, fetch });
    await register.take({ appointmentId });
    for (const [key, value] of journal.kept) {
      const begunAt = time.now() - 8 * 365 * 24 * 3_600_000;
      journal.kept.set(key, JSON.stringify({ ...JSON.parse(value), begunAt }));
    }
    const next = openTill(shop, { journal });
    expect(await next.register.resume(appointmentId)).toMatchObject({ step: 'captured' });
  });

  it('counts the age of a note from the future from now on', async () => {
    const { shop, appointmentId } = await openVisit();
    const journal = memoryJournal();
    const failing = reportingReader({ said: 'unknown', needsPerson: true, failed: 'Failed.' });
    const { register, time } = openTill(shop, { journal, reader: failing.reader });
    await register.take({ appointmentId });
    for (const [key, value] of journal.kept) {
      const begunAt = time.now() + 365 * 24 * 3_600_000;
      journal.kept.set(key, JSON.stringify({ ...JSON.parse(value), begunAt }));
    }
    expect(await register.resume(appointmentId)).toMatchObject({ reason: 'waiting' });
    await new Promise<void>((resolve) => void time.after(72 * 3_600_000, resolve));
    expect(await register.resume(appointmentId)).toMatchObject({ reason: 'expired' });
  });

  it('asks about a card after three days too, because no key bounds a capture', async () => {
    const { shop, appointmentId } = await openVisit();
    const journal = memoryJournal();
    let isOnline = false;
    const { register, time } = openTill(shop, {
      journal,
      reader: readerOf(shop, 'visa_credit').reader,
      fetch: async (url, init) => {
        if (url.endsWith('/captured') && !isOnline) throw new Error('offline');
        return shop.fetch(url, init);
      },
    });
    expect(await register.take({ appointmentId })).toMatchObject({
      step: 'stuck',
      reason: 'noAnswer',
    });
    await new Promise<void>((resolve) => void time.after(72 * 3_600_000, resolve));
    isOnline = true;
    expect(await register.resume(appointmentId)).toMatchObject({
      step: 'canceled',
      reason: 'expired',
      charged: 'no',
    });
  });
});

describe('the snapshot', () => {
  it('is of the appointment that the screen asks for', async () => {
    const shop = await openShop();
    const paid = await shop.putAppointment('a-1');
    const { register, shown } = openTill(shop);
    await register.take({ appointmentId: paid });
    const idle = register.getSnapshot('a-2');
    expect(idle).toMatchObject({ step: 'idle', words: '' });
    expect(register.getSnapshot('a-2')).toBe(idle);
    expect(register.getSnapshot(paid)).toBe(register.getSnapshot());
    expect(register.getSnapshot()).toMatchObject({ step: 'captured', currency: 'EUR' });
    expect(shown.every(({ currency }) => currency === 'EUR')).toBe(true);
  });

  it('shows that the phone is in use, beside the payment that it takes', async () => {
    const shop = await openShop();
    const first = await shop.putAppointment('a-1');
    const other = await shop.putAppointment('a-2');
    const { reader, events } = waitingReader();
    const { register } = openTill(shop, { reader });
    const taking = register.take({ appointmentId: first });
    while (events.length === 0) await new Promise(setImmediate);
    const refused = await register.take({ appointmentId: other });
    expect(refused).toMatchObject({ step: 'stuck', reason: 'inUse', appointmentId: other });
    expect(register.getSnapshot()).toBe(refused);
    expect(register.getSnapshot(other)).toBe(refused);
    expect(register.getSnapshot(first)).toMatchObject({ step: 'presenting' });
    register.stop();
    expect(await taking).toMatchObject({ reason: 'stopped' });
  });
});

describe('a capture without a response', () => {
  it.each([
    ['is lost', async () => lost()],
    ['hangs', hangs],
  ] as const)('shows the wait, and lets the barber leave, if it %s', async (_, respond) => {
    const { shop, appointmentId } = await openVisit();
    const { register, shown } = openTill(shop, {
      fetch: answeringCaptures(shop, respond),
    });
    const left = new Promise<void>((resolve) => {
      register.subscribe(() => {
        const { step, nextAttemptAt } = register.getSnapshot();
        if (step !== 'checking' || nextAttemptAt === undefined) return;
        resolve();
        register.stop();
      });
    });
    const taken = register.take({ appointmentId });
    await left;
    expect(await taken).toMatchObject({ step: 'stuck', reason: 'noAnswer', charged: 'unknown' });
    const capturing = shown.filter(({ step }) => step === 'capturing');
    expect(capturing).toHaveLength(1);
    expect(capturing).toMatchObject([{ nextAttemptAt: undefined }]);
    expect(shown.find(({ step }) => step === 'checking')?.words).toContain('Do not charge again.');
  });

  it('says so within five seconds of a first request that hangs', async () => {
    const { shop, appointmentId } = await openVisit();
    const { register, time } = openTill(shop, {
      fetch: answeringCaptures(shop, hangs),
    });
    const at: Partial<Record<string, number>> = {};
    register.subscribe(() => {
      at[register.getSnapshot().step] ??= time.now();
    });
    await register.take({ appointmentId });
    expect((at['checking'] ?? Infinity) - (at['capturing'] ?? 0)).toBeLessThanOrEqual(5000);
  });
});

/** How the collect ends after the barber has stopped, although the card was approved. */
type Ending = 'canceled' | 'unknown' | 'late' | 'never';

/** A till whose reader approves a card, and ends its collect only once the barber has stopped. */
function openStoppedTill(
  shop: Shop,
  ending: Ending,
  approvalMs = 0,
  options: Parameters<typeof openTill>[1] = {},
) {
  const begun = Promise.withResolvers<void>();
  let endLate = (_: Collected) => {};
  let approve = () => {};
  let taps = 0;
  const till = openTill(shop, {
    ...options,
    reader: readerThat((clientSecret, signal) => {
      taps += 1;
      approve = () => void shop.processor.presentCard(clientSecret, 'visa_credit');
      till.time.after(approvalMs, approve);
      if (approvalMs === 0) approve();
      return new Promise((resolve) => {
        endLate = resolve;
        signal.addEventListener('abort', () => {
          if (ending === 'late') till.time.after(10_000, () => resolve('approved'));
          else if (ending !== 'never') resolve(ending);
        });
        begun.resolve();
      });
    }),
  });
  async function takeAndStop(appointmentId: string) {
    const taking = till.register.take({ appointmentId });
    await begun.promise;
    till.register.stop();
    return taking;
  }
  return {
    ...till,
    takeAndStop,
    approve: () => approve(),
    endLate: (said: Collected) => endLate(said),
    taps: () => taps,
  };
}

describe('stopping', () => {
  it.each(['canceled', 'unknown', 'late', 'never'] as const)(
    'charges a card that was approved before, if the reader ends as %s (D103)',
    async (ending) => {
      const { shop, appointmentId } = await openVisit();
      const { takeAndStop, steps, journal } = openStoppedTill(shop, ending);
      expect(await takeAndStop(appointmentId)).toMatchObject({ step: 'captured', charged: 'yes' });
      expect(steps()).toContain('stopping');
      expect(await journal.keys()).toEqual([]);
    },
  );

  it.each(firsts)(
    'charges a card whose approval follows the end of the reader, after %s',
    async (first) => {
      const { shop, appointmentId } = await openVisit();
      const journal = await journalAfter(first, shop, appointmentId);
      const { takeAndStop } = openStoppedTill(shop, 'canceled', 2500, { journal });
      expect(await takeAndStop(appointmentId)).toMatchObject({ step: 'captured', charged: 'yes' });
    },
  );

  it.each(firsts)(
    'keeps the note of a collect that does not end, and uses its late result, after %s',
    async (first) => {
      const { shop, appointmentId } = await openVisit();
      const till = openStoppedTill(shop, 'never', 1_000_000_000, {
        journal: await journalAfter(first, shop, appointmentId),
      });
      const { register, journal } = till;
      const busy = { step: 'stuck', reason: 'readerBusy', charged: 'unknown' };
      expect(await till.takeAndStop(appointmentId)).toMatchObject(busy);
      expect(await register.unfinished()).toMatchObject([{ appointmentId, mayBeCharged: true }]);
      expect(await register.resume(appointmentId)).toMatchObject(busy);
      expect(await register.take({ appointmentId })).toMatchObject(busy);
      expect(await register.forget(appointmentId)).toBe(false);
      till.approve();
      const captured = new Promise<void>((resolve) => {
        register.subscribe(() => register.getSnapshot().step === 'captured' && resolve());
      });
      till.endLate('canceled');
      await captured;
      expect(till.taps()).toBe(1);
      expect(await journal.keys()).toEqual([]);
    },
  );

  it('asks the server, and says "not charged" only once the reader has ended', async () => {
    const { shop, appointmentId } = await openVisit();
    const journal = memoryJournal();
    const { reader, events } = waitingReader();
    const asked: string[] = [];
    const { register } = openTill(shop, {
      journal,
      reader,
      fetch(url, init) {
        if (url.endsWith('/captured')) asked.push(events.join());
        return shop.fetch(url, init);
      },
    });
    const taking = register.take({ appointmentId });
    while (events.length === 0) await new Promise(setImmediate);
    register.stop();
    expect(await taking).toMatchObject({ step: 'canceled', reason: 'stopped', charged: 'no' });
    expect(asked[0]).toBe('collect,cancel');
    expect(journal.kept.size).toBe(0);
  });

  it.each(firsts)(
    'does not begin another collect while one hangs that has read %s',
    async (first) => {
      const { shop, appointmentId } = await openVisit();
      const reader = readerThat((clientSecret) => {
        if (first !== 'no card') need(shop.processor.presentCard(clientSecret, 'declined'));
        return new Promise(() => {});
      });
      const { register } = openTill(shop, { reader });
      expect(await register.take({ appointmentId })).toMatchObject({ reason: 'readerBusy' });
      expect(await register.take({ appointmentId })).toMatchObject({ reason: 'readerBusy' });
    },
  );
});

/** A reader whose collects end as in `reports`, one after the other, without a card. */
function reportingReader(...reports: readonly (Collected | Report)[]) {
  let collects = 0;
  const reader = readerThat(async () => {
    collects += 1;
    return reports[Math.min(collects, reports.length) - 1] ?? 'unknown';
  });
  return { reader, collects: () => collects };
}

describe('a report of the reader', () => {
  const error = { code: 'SOME_CODE', message: 'Something.' };

  it.each([
    ['captured', { step: 'captured', charged: 'yes' }],
    ['canceled', { step: 'canceled', reason: 'expired', charged: 'no' }],
  ] as const)('counts for less than a payment that is %s meanwhile', async (state, end) => {
    const { shop, appointmentId } = await openVisit();
    const { reader } = reportingReader({ said: 'unknown', hadNoCard: true });
    const { register } = openTill(shop, {
      reader,
      async fetch(url, init) {
        const response = await shop.fetch(url, init);
        if (init.method !== 'GET') return response;
        return Response.json({ ...JSON.parse(await response.text()), state });
      },
    });
    expect(await register.take({ appointmentId })).toMatchObject(end);
  });

  it('ends the payment if a person closed the card screen', async () => {
    const { shop, appointmentId } = await openVisit();
    const { reader, collects } = reportingReader('canceled');
    const { register, journal } = openTill(shop, { reader });
    expect(await register.take({ appointmentId })).toMatchObject({
      step: 'canceled',
      reason: 'sheetClosed',
      charged: 'no',
      words: 'Closed. This payment charged nothing.',
    });
    expect(collects()).toBe(1);
    expect(await journal.keys()).toEqual([]);
  });

  it("ends the payment if a person has to act, with the SDK's code and text beside the words", async () => {
    const { shop, appointmentId } = await openVisit();
    const failed = 'Switch on NFC.';
    const { reader, collects } = reportingReader({
      said: 'unknown',
      failed,
      error,
      needsPerson: true,
    });
    const { register } = openTill(shop, { reader });
    expect(await register.take({ appointmentId })).toMatchObject({
      step: 'stuck',
      reason: 'reader',
      charged: 'no',
      readerSaid: failed,
      readerError: error,
    });
    expect(collects()).toBe(1);
  });

  it.each([
    ['canceled', { step: 'canceled', reason: 'sheetClosed', charged: 'no' }],
    ['declined', { step: 'declined', charged: 'no' }],
    // A reader that does not know that it was declined.
    ['unknown', { step: 'declined', charged: 'no' }],
    [
      { said: 'unknown', failed: 'Switch on NFC.', needsPerson: true, hadNoCard: true },
      { step: 'stuck', reason: 'reader', charged: 'no', readerSaid: 'Switch on NFC.' },
    ],
  ] as const)('counts for %j, and not the decline of an earlier card', async (report, end) => {
    const { shop, appointmentId } = await openVisit();
    const journal = await journalAfter('a declined card', shop, appointmentId);
    const { register } = openTill(shop, { journal, reader: reportingReader(report).reader });
    expect(await register.take({ appointmentId })).toMatchObject(end);
  });

  it('calls no card declined because none was held in time, after a declined one', async () => {
    const { shop, appointmentId } = await openVisit();
    const journal = await journalAfter('a declined card', shop, appointmentId);
    const { reader } = waitingReader();
    const { register } = openTill(shop, { journal, reader, limits: { presentMs: 1000 } });
    expect(await register.take({ appointmentId })).toMatchObject({ reason: 'reader' });
  });

  it('keeps the last code and text if the reader failed again and again', async () => {
    const { shop, appointmentId } = await openVisit();
    const { reader, collects } = reportingReader({ said: 'unknown', failed: 'Failed.', error });
    const { register } = openTill(shop, { reader });
    expect(await register.take({ appointmentId })).toMatchObject({
      reason: 'reader',
      readerSaid: 'Failed.',
      readerError: error,
    });
    expect(collects()).toBe(5);
  });

  it('never says "nothing" of a card that the phone sends later, also after a restart', async () => {
    const { shop, appointmentId } = await openVisit();
    const journal = memoryJournal();
    const { reader, collects } = reportingReader('offline');
    const first = openTill(shop, { reader, journal });
    const unknown = { step: 'stuck', reason: 'storedOffline', charged: 'unknown' };
    expect(await first.register.take({ appointmentId })).toMatchObject(unknown);
    const second = openTill(shop, { reader, journal });
    expect(await second.register.resume(appointmentId)).toMatchObject(unknown);
    expect(await second.register.take({ appointmentId })).toMatchObject(unknown);
    expect(collects()).toBe(1);
    const { clientSecret } = need(
      await first.client.getContactlessPayment({
        contactlessPaymentId: String(second.register.getSnapshot().paymentId),
      }),
    );
    need(shop.processor.presentCard(clientSecret, 'visa_credit'));
    expect(await second.register.resume(appointmentId)).toMatchObject({ step: 'captured' });
  });

  it('remembers a card that the phone sends later, even if the shop is out of reach', async () => {
    const { shop, appointmentId } = await openVisit();
    const journal = memoryJournal();
    let isOnline = true;
    const fetch: Fetch = (url, init) =>
      isOnline ? shop.fetch(url, init) : Promise.reject(new Error('no network'));
    const { reader, collects } = reportingReader('offline');
    const stores: Reader = {
      ...reader,
      async retrieve(secret, signal) {
        isOnline = false;
        return reader.retrieve(secret, signal);
      },
    };
    const open = () => openTill(shop, { reader: stores, journal, fetch }).register;
    expect(await open().take({ appointmentId })).toMatchObject({ reason: 'noAnswer' });
    // A further start without an answer forgets nothing either.
    expect(await open().resume(appointmentId)).toMatchObject({ reason: 'noAnswer' });
    isOnline = true;
    const unknown = { step: 'stuck', reason: 'storedOffline', charged: 'unknown' };
    expect(await open().resume(appointmentId)).toMatchObject(unknown);
    expect(await open().take({ appointmentId })).toMatchObject(unknown);
    expect(collects()).toBe(1);
  });

  it('writes down a card that the phone sends later in one step, before it asks the shop', async () => {
    const { shop, appointmentId } = await openVisit();
    const kept = memoryJournal();
    const written: string[] = [];
    const journal = {
      ...kept,
      async set(key: string, value: string) {
        written.push(value);
        return kept.set(key, value);
      },
    };
    const { reader } = reportingReader('offline');
    const asked = Promise.withResolvers<void>();
    const first = openTill(shop, {
      reader,
      journal,
      fetch(url, init) {
        if (!url.endsWith('/captured')) return shop.fetch(url, init);
        asked.resolve();
        return new Promise(() => {});
      },
    });
    void first.register.take({ appointmentId });
    await asked.promise;
    first.kill();
    const read = written.filter((note) => note.includes('"capturing"'));
    expect(read.map((note) => note.includes('"storedOffline"'))).toEqual([true]);
    expect(await openTill(shop, { journal }).register.resume(appointmentId)).toMatchObject({
      reason: 'storedOffline',
    });
  });

  it('remembers it if the collect ends late, while the shop is out of reach', async () => {
    const { shop, appointmentId } = await openVisit();
    let isOnline = true;
    const till = openStoppedTill(shop, 'never', 1_000_000_000, {
      fetch: (url, init) =>
        isOnline ? shop.fetch(url, init) : Promise.reject(new Error('no network')),
    });
    expect(await till.takeAndStop(appointmentId)).toMatchObject({ reason: 'readerBusy' });
    isOnline = false;
    const { register, journal } = till;
    const ended = new Promise<void>((resolve) => {
      register.subscribe(() => register.getSnapshot().reason === 'noAnswer' && resolve());
    });
    till.endLate('offline');
    await ended;
    till.kill();
    expect(await openTill(shop, { journal }).register.resume(appointmentId)).toMatchObject({
      reason: 'storedOffline',
    });
  });
});

describe('the reader', () => {
  it('has one limit of time to become ready', async () => {
    const { shop, appointmentId } = await openVisit();
    const { reader } = reportingReader('unknown');
    const { register, time } = openTill(shop, {
      reader: {
        ...reader,
        ready: () =>
          new Promise((resolve) => time.after(25_000, () => resolve({ failed: 'No token.' }))),
      },
    });
    const began = time.now();
    expect(await register.take({ appointmentId })).toMatchObject({ reason: 'reader' });
    expect(time.now() - began).toBeLessThan(65_000);
  });

  it('is left alone by `wake` while the card screen is open', async () => {
    const { shop, appointmentId } = await openVisit();
    const { reader, events } = waitingReader();
    let readied = 0;
    const { register } = openTill(shop, {
      reader: {
        ...reader,
        async ready() {
          readied += 1;
          return undefined;
        },
      },
    });
    const taking = register.take({ appointmentId });
    while (events.length === 0) await new Promise(setImmediate);
    expect(await register.wake()).toBe(true);
    expect(readied).toBe(1);
    register.stop();
    await taking;
    await register.wake();
    expect(readied).toBe(2);
  });
});

describe('a refusal after a capture', () => {
  const outcome = 'unknown';
  const retry = 'retrySameRequest';
  it.each([
    ['no response', lost],
    ['an unknown outcome', problem(503, 'serviceUnavailable', { outcome, retry })],
    // Another person may have signed in.
    [
      'a session that ended',
      problem(401, 'unauthorized', { outcome, retry, sessionAction: 'signIn' }),
    ],
    [
      'a token of another person for an expired one',
      problem(401, 'unauthorized', { outcome, retry, sessionAction: 'refresh' }),
    ],
  ])(
    'with %s does not say "not charged", because the first request may still capture',
    async (_, answer) => {
      const { shop, appointmentId } = await openVisit();
      let late = async (): Promise<unknown> => undefined;
      let sent = 0;
      const slow: Fetch = (url, init) => {
        if (!url.endsWith('/captured')) return shop.fetch(url, init);
        sent += 1;
        if (sent > 1) return Promise.resolve(problem(403, 'forbidden')());
        late = () => shop.fetch(url, init);
        return Promise.resolve().then(answer);
      };
      const { register } = openTill(shop, { fetch: slow });
      const taken = await register.take({ appointmentId });
      await late();
      expect(capturedAt(shop)).toHaveLength(1);
      expect(taken).toMatchObject({ step: 'stuck', reason: 'askShop', charged: 'unknown' });
      expect(await register.unfinished()).toMatchObject([{ appointmentId, mayBeCharged: true }]);
    },
  );
});

it('says that nothing was charged if a refreshed token only learns of a refusal', async () => {
  const { shop, appointmentId } = await openVisit();
  const expired = { outcome: 'unknown', retry: 'retrySameRequest', sessionAction: 'refresh' };
  const answers = [problem(401, 'unauthorized', expired), problem(422, 'paymentProviderNotSetup')];
  const { register, journal } = openTill(shop, {
    fetch: answeringCaptures(shop, async () => (answers.shift() ?? lost)()),
  });
  const end = { step: 'canceled', reason: 'notSetUp', charged: 'no' };
  expect(await register.take({ appointmentId })).toMatchObject(end);
  expect(await journal.keys()).toEqual([]);
});

describe('storage that fails', () => {
  it('stops the payment before the act that could not be written down', async () => {
    for (const failing of [0, 1, 2, 3, 4]) {
      const { shop, appointmentId } = await openVisit();
      const journal = memoryJournal();
      let writes = 0;
      const { register } = openTill(shop, {
        journal: {
          ...journal,
          async set(key, value) {
            if (writes === failing) throw new Error('full');
            writes += 1;
            return journal.set(key, value);
          },
        },
      });
      const taken = await register.take({ appointmentId });
      if (failing < 4) {
        expect(taken).toMatchObject({ step: 'stuck', reason: 'storage' });
        expect(capturedAt(shop)).toHaveLength(0);
      }
      const again = openTill(shop, { journal });
      const last = await again.register.take({ appointmentId });
      expect(last.step === 'captured' || last.reason === 'alreadyPaid').toBe(true);
      expect(capturedAt(shop)).toHaveLength(1);
    }
  });

  it('does not say "not charged" while a note remains that will capture again', async () => {
    const { shop, appointmentId } = await openVisit();
    const journal = memoryJournal();
    const full = { ...journal, remove: () => Promise.reject(new Error('full')) };
    let isForbidden = true;
    const refusing: Fetch = (url, init) =>
      isForbidden && url.endsWith('/captured')
        ? Promise.resolve(problem(403, 'forbidden')())
        : shop.fetch(url, init);
    const { register } = openTill(shop, { journal: full, fetch: refusing });
    expect(await register.take({ appointmentId })).toMatchObject({
      step: 'stuck',
      reason: 'storage',
      charged: 'unknown',
    });
    isForbidden = false;
    expect(await register.take({ appointmentId })).toMatchObject({ step: 'captured' });
    expect(capturedAt(shop)).toHaveLength(1);
  });

  it('asks a person if a note cannot be read', async () => {
    const { shop, appointmentId } = await openVisit();
    const journal = memoryJournal();
    await journal.set(`chairside/1/user-ada/${appointmentId}`, '');
    const { register } = openTill(shop, { journal });
    expect(await register.take({ appointmentId })).toMatchObject({ reason: 'unreadable' });
    expect(await register.forget(appointmentId)).toBe(true);
    expect(register.getSnapshot(appointmentId)).toMatchObject({ step: 'idle', words: '' });
    expect(await register.take({ appointmentId })).toMatchObject({ step: 'captured' });
  });
});
