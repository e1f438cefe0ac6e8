import { cents, host, type Lived, money, owner, restAt } from './live.ts';

// What ledgers, lists and statement must show, by the events and the processor's books alone.

interface Part {
  amount: number;
  tip: number;
}
interface Told {
  readonly own: string;
  captured: Part;
  readonly shares: Map<string, Part>;
  readonly refunds: Map<string, Part & { readonly parts: ReadonlyMap<string, Part> }>;
  /** By id, what is withheld. */
  readonly disputes: Map<string, number>;
  /** The shares that each sharing told. */
  readonly sharings: string[];
}
interface Said {
  readonly appointmentId: string;
  readonly barberId: string;
  readonly amount: string;
  readonly tip?: string;
}

const keyOf = ({ appointmentId, barberId }: Said) => `${appointmentId} ${barberId}`;
const partOf = ({ amount, tip }: Pick<Said, 'amount' | 'tip'>): Part => ({
  amount: cents(amount),
  tip: cents(tip),
});
const partsOf = (said: readonly Said[]) => new Map(said.map((one) => [keyOf(one), partOf(one)]));
const sum = (all: Iterable<number>) => [...all].reduce((total, one) => total + one, 0);
const sumOf = (parts: Iterable<Part>): Part => {
  const all = [...parts];
  return { amount: sum(all.map((one) => one.amount)), tip: sum(all.map((one) => one.tip)) };
};
/** Parts that are nothing are left out. */
const shown = (parts: ReadonlyMap<string, Part>) =>
  JSON.stringify([...parts].filter(([, { amount }]) => amount !== 0).sort());

function booksOf({ events }: Lived, differ: (what: string) => void): ReadonlyMap<string, Told> {
  const books = new Map<string, Told>();
  const isCapture = ({ type }: Lived['events'][number]) => type === 'contactlessPayment.captured';
  // A dispute may be told before its capture, if the process died in between.
  const captureFirst = events.toSorted((a, b) => Number(isCapture(b)) - Number(isCapture(a)));
  for (const { type, data } of captureFirst) {
    if (type === 'contactlessPayment.captured') {
      const told: Told = {
        own: keyOf(data),
        captured: partOf(data),
        shares: partsOf(data.shares ?? [data]),
        refunds: new Map(),
        disputes: new Map(),
        sharings: [],
      };
      if (books.has(data.contactlessPaymentId)) differ('it is captured twice');
      books.set(data.contactlessPaymentId, told);
    }
    if (!('contactlessPaymentId' in data)) continue;
    const book = books.get(data.contactlessPaymentId ?? '');
    if (book === undefined) continue;
    if (type === 'contactlessPayment.shared') {
      for (const one of data.moves) {
        const part = book.shares.get(keyOf(one)) ?? { amount: 0, tip: 0 };
        const { amount, tip } = partOf(one);
        book.shares.set(keyOf(one), { amount: part.amount + amount, tip: part.tip + tip });
      }
      if (shown(book.shares) !== shown(partsOf(data.shares)))
        differ('the moves are not the shares');
      book.sharings.push(JSON.stringify(data.shares));
    } else if (
      type === 'contactlessPayment.refunded' ||
      type === 'contactlessPayment.refundPending'
    ) {
      const [appointmentId = '', barberId = ''] = book.own.split(' ');
      const parts = partsOf(data.shares ?? [{ ...data, appointmentId, barberId }]);
      book.refunds.set(data.refundId ?? '', { ...partOf(data), parts });
    } else if (
      type === 'contactlessPayment.refundFailed' ||
      type === 'contactlessPayment.refundCanceled'
    ) {
      book.refunds.delete(data.refundId ?? '');
    } else if ('disputeId' in data) book.disputes.set(data.disputeId, cents(data.withheld));
  }
  return books;
}

/** Every figure that differs. */
export async function compare(lived: Lived): Promise<readonly string[]> {
  const { world, chairside, visits, sharings } = lived;
  const found: string[] = [];
  const same = (what: string, is: unknown, should: unknown) => {
    const [left, right] = [JSON.stringify(is), JSON.stringify(should)];
    if (left !== right) found.push(`${what}: ${left}, not ${right}`);
  };
  const books = booksOf(lived, (what) => found.push(`events: ${what}`));
  const day = {
    businessId: 'shop',
    timeZone: 'Europe/Berlin',
    day: '2026-11-02',
    lastDay: '2026-11-12',
  };
  const statement = (await chairside.getStatement(host, day))._unsafeUnwrap();
  same('statement: differences', statement.differences, []);

  // What is left of each share.
  const left = new Map<string, number | undefined>();
  const disputed = new Map<string, number>();
  const entries = await world.processor.entries();
  const taken = entries.filter(({ status }) => status === 'captured');
  same(
    'payments: captured',
    [...books.keys()].sort(),
    taken.map(({ paymentId }) => paymentId).sort(),
  );
  for (const [id, book] of books) {
    const entry = taken.find(({ paymentId }) => paymentId === id);
    const refunded = (entry?.refunds ?? []).filter(
      ({ state }) => state !== 'failed' && state !== 'canceled',
    );
    const withheld = (entry?.disputes ?? []).flatMap(({ bookings = [] }) =>
      bookings.map((one) => -cents(one.amount)),
    );
    same(`${id}: captured`, book.captured.amount, cents(entry?.amountCaptured));
    same(`${id}: shares`, sumOf(book.shares.values()), book.captured);
    same(
      `${id}: refunded`,
      sumOf(book.refunds.values()).amount,
      sum(refunded.map((one) => cents(one.amount))),
    );
    same(`${id}: withheld`, sum(book.disputes.values()), sum(withheld));
    for (const { parts, amount, tip } of book.refunds.values())
      same(`${id}: parts of a refund`, sumOf(parts.values()), { amount, tip });
    const lines = (statement.shares ?? []).filter((one) => one.contactlessPaymentId === id);
    const partsIn = (key: string) =>
      [...book.refunds.values()].map(({ parts }) => parts.get(key)?.amount ?? 0);
    // Another party may have given back more than there was.
    const isOver = entry !== undefined && restAt(entry) < 0;
    const keys = new Set([book.own, ...book.shares.keys(), ...lines.map(keyOf)]);
    for (const key of keys) {
      const moved = lines.filter((one) => one.kind === 'dispute' && keyOf(one) === key);
      const held =
        (key === book.own ? sum(withheld) : 0) - sum(moved.map((one) => cents(one.amount)));
      disputed.set(key, (disputed.get(key) ?? 0) + held);
      const rest = (book.shares.get(key)?.amount ?? 0) - sum(partsIn(key)) - held;
      if (rest < 0 && !isOver) found.push(`left: ${id} has ${rest} left for ${key}`);
      if ((book.shares.get(key)?.amount ?? 0) !== 0)
        left.set(`${id} ${key}`, isOver ? undefined : rest);
    }
    const read = await chairside.listRefunds(owner, { contactlessPaymentId: id });
    const rest = entry === undefined || isOver ? 0 : restAt(entry);
    const shared = sum(
      [...left].flatMap(([key, one]) => (key.startsWith(`${id} `) ? [one ?? 0] : [])),
    );
    if (!isOver) same(`${id}: left to all`, shared, rest);
    const { items, refundable } = read._unsafeUnwrap();
    // A lost refund that no longer fits beside disputes waits for their end, and keeps its amount for itself.
    const waiting = items.filter(
      ({ state, amount }) => state === 'pending' && cents(amount) > rest,
    );
    const isKept = waiting.length > 0 && (entry?.disputes ?? []).length > 0;
    if (isKept)
      for (const key of left.keys()) if (key.startsWith(`${id} `)) left.set(key, undefined);
    same(`${id}: refundable`, cents(refundable), isKept ? 0 : rest);
  }

  for (const { id, recorded, ...summed } of visits) {
    const read = (await world.store.ledgers.get(id))._unsafeUnwrap();
    const ofVisit = [...books.values()].flatMap(({ shares }) =>
      [...shares].flatMap(([key, part]) => (key.startsWith(`${id} `) ? [part] : [])),
    );
    const { amount, tip } = sumOf(ofVisit);
    const { reservedMinor, capturedMinor, tenderedMinor = 0n, tipsMinor = 0n, openPayments } = read;
    const figures = [reservedMinor, capturedMinor, tenderedMinor, tipsMinor].map(Number);
    same(`ledger: ${id}`, figures, [0, amount - tip, recorded, tip]);
    same(`ledger: sums of ${id}`, figures, [
      summed.reserved,
      summed.captured,
      summed.tendered,
      summed.tips,
    ]);
    same(`ledger: open at ${id}`, openPayments, 0);
    const listed = (await chairside.listShares(owner, { appointmentId: id }))._unsafeUnwrap();
    for (const one of listed.items) {
      const key = `${id} ${one.barberId}`;
      const name = `${one.contactlessPaymentId} ${key}`;
      same(
        `listShares: ${name}`,
        partOf(one),
        books.get(one.contactlessPaymentId)?.shares.get(key),
      );
      same(`listShares: left of ${name}`, cents(one.left), left.get(name) ?? cents(one.left));
    }
    const meant = [...left.keys()].filter((key) => key.includes(` ${id} `));
    same(`listShares: of ${id}`, listed.count, meant.length);
  }

  // The statement, from the same events; and the processor's books.
  const rows = (ofBarber: string) => {
    const isOf = (key: string) => key.endsWith(` ${ofBarber}`) || ofBarber === '';
    const inAll = (parts: (book: Told) => readonly ReadonlyMap<string, Part>[]) =>
      sumOf(
        [...books.values()]
          .flatMap(parts)
          .flatMap((all) => [...all].flatMap(([key, one]) => (isOf(key) ? [one] : []))),
      );
    const captured = inAll(({ shares }) => [shares]);
    const refunded = inAll(({ refunds }) => [...refunds.values()].map(({ parts }) => parts));
    const held = sum([...disputed].flatMap(([key, one]) => (isOf(key) ? [one] : [])));
    return [captured.amount, captured.tip, refunded.amount, refunded.tip, held].map(money);
  };
  const rowOf = (row: (typeof statement.shop)[number] | undefined) =>
    [row?.captured, row?.tips, row?.refunded, row?.refundedTips, row?.disputed].map(
      (one) => one ?? '0.00',
    );
  same('statement: shop', rowOf(statement.shop[0]), rows(''));
  for (const barberId of ['ada', 'ben', 'cem'])
    same(
      `statement: ${barberId}`,
      rowOf(statement.barbers.find((one) => one.barberId === barberId)),
      rows(barberId),
    );
  const [shop] = statement.shop;
  const net =
    cents(shop?.captured) -
    cents(shop?.refunded) -
    cents(shop?.disputed) -
    cents(shop?.processorFees);
  same('statement: settled', cents(shop?.settled), net);

  // Each acknowledged sharing is told once, and no other.
  const told = [...books.values()].flatMap((book) => book.sharings);
  const acknowledged = [...sharings.values()].map((text) =>
    JSON.stringify(JSON.parse(text).shares),
  );
  same('sharings', told.sort(), acknowledged.sort());
  return [...lived.faults, ...found];
}
