import { expect, it } from 'vitest';
import { type Event, judge, parseHistory } from '../src/index.ts';

// A history is written as requests that end in order, or one by one where they overlap.

let processes = 0;

function event(line: object): Event {
  const [read] = parseHistory(JSON.stringify({ appointment: 'haircut', ...line }));
  if (read === undefined) throw new Error('no event');
  return read;
}

/** Begins a request, in a process of its own. The returned function ends it. */
function begin(asked: object): readonly [Event, (end: object) => Event] {
  processes += 1;
  const request = { ...asked, process: processes };
  return [event({ ...request, type: 'invoke' }), (end) => event({ ...request, ...end })];
}

function whole(asked: object, end: object): Event[] {
  const [invoked, finish] = begin(asked);
  return [invoked, finish(end)];
}

const due = (amount: number) => whole({ f: 'due', amount }, { type: 'ok' });
const create = (key: string, payment: string, amount = 4500) =>
  whole(
    { f: 'create', key },
    {
      type: 'ok',
      payment,
      amount,
      answer: `opened ${payment}`,
    },
  );
const capture = (key: string, payment: string, answer = `captured ${payment}`) =>
  whole({ f: 'capture', key, payment }, { type: 'ok', answer });
const refund = (key: string, payment: string, amount: number) =>
  whole({ f: 'refund', key, payment, amount }, { type: 'ok', answer: key });
const read = (payment: string, state: string) =>
  whole({ f: 'read', payment }, { type: 'ok', state });

const kinds = (history: readonly Event[]) => judge(history).map(({ what }) => what);

it.each([
  [
    'a payment from create to refund',
    [due(4500), create('a', 'p'), capture('b', 'p'), read('p', 'captured'), refund('c', 'p', 4500)],
  ],
  [
    'two payments of parts',
    [
      due(4500),
      create('a', 'p', 2000),
      create('b', 'q', 2500),
      capture('c', 'p'),
      capture('d', 'q'),
    ],
  ],
  [
    'a repeated create after the appointment was paid',
    [due(4500), create('a', 'p'), create('b', 'q'), capture('c', 'p'), create('b', 'q')],
  ],
  [
    'a second key for a captured payment',
    [due(4500), create('a', 'p'), capture('b', 'p'), capture('c', 'p', 'again')],
  ],
  [
    'a payment that the service canceled',
    [due(4500), create('a', 'p'), read('p', 'open'), read('p', 'canceled')],
  ],
])('finds nothing in %s', (_, parts) => {
  expect(kinds(parts.flat())).toEqual([]);
});

it.each([
  [
    'two captures of one appointment',
    [due(4500), create('a', 'p'), create('b', 'q'), capture('c', 'p'), capture('d', 'q')],
  ],
  [
    'an acknowledged capture that is lost',
    [due(4500), create('a', 'p'), capture('b', 'p'), read('p', 'open')],
  ],
  [
    'a stale read between two fresh ones',
    [due(4500), create('a', 'p'), capture('b', 'p'), read('p', 'captured'), read('p', 'open')],
  ],
  [
    'a capture of a canceled payment',
    [due(4500), create('a', 'p'), read('p', 'canceled'), capture('b', 'p')],
  ],
  [
    'a captured payment that becomes canceled',
    [due(4500), create('a', 'p'), capture('b', 'p'), read('p', 'canceled')],
  ],
  [
    'refunds above the capture',
    [
      due(4500),
      create('a', 'p'),
      capture('b', 'p'),
      refund('c', 'p', 3000),
      refund('d', 'p', 3000),
    ],
  ],
  ['a refund of an open payment', [due(4500), create('a', 'p'), refund('b', 'p', 100)]],
  ['a create above what remains', [due(4500), create('a', 'p', 4501)]],
])('finds %s', (_, parts) => {
  expect(kinds(parts.flat())).toEqual(['notLinearizable']);
});

it('finds an answer that changes under a key', () => {
  const history = [
    due(4500),
    create('a', 'p'),
    capture('b', 'p'),
    capture('b', 'p', 'other'),
  ].flat();
  expect(kinds(history)).toEqual(['answerChanged']);
});

it('finds a denial under a key after its answer', () => {
  const denied = whole({ f: 'capture', key: 'b', payment: 'p' }, { type: 'fail' });
  const history = [due(4500), create('a', 'p'), capture('b', 'p'), denied].flat();
  expect(kinds(history)).toEqual(['deniedLater']);
});

it.each([
  ['paid', { f: 'create', key: 'z' }, [due(4500), create('a', 'p')]],
  [
    'canceled',
    { f: 'capture', key: 'z', payment: 'p' },
    [due(4500), create('a', 'p'), capture('b', 'p')],
  ],
])('finds a refusal whose fact "%s" is untrue', (reason, asked, parts) => {
  const refused = whole(asked, { type: 'fail', reason });
  expect(kinds([...parts.flat(), ...refused])).toEqual(['notLinearizable']);
});

it('lets a lost capture take place later, at most once', () => {
  const [lost, finish] = begin({ f: 'capture', key: 'b', payment: 'p' });
  const before = [
    ...due(4500),
    ...create('a', 'p'),
    lost,
    finish({ f: 'capture', type: 'info', key: 'b', payment: 'p' }),
  ];
  expect(kinds([...before, ...read('p', 'open'), ...read('p', 'captured')])).toEqual([]);
  expect(kinds([...before, ...read('p', 'open')])).toEqual([]);
  expect(kinds([...before, ...read('p', 'captured'), ...read('p', 'open')])).toEqual([
    'notLinearizable',
  ]);
});

it('lets a lost create have opened its payment before another one was captured', () => {
  const [lost, finish] = begin({ f: 'create', key: 'b' });
  const info = finish({ f: 'create', type: 'info', key: 'b' });
  const before = [...due(4500), lost, info, ...create('a', 'p'), ...capture('c', 'p')];
  expect(kinds([...before, ...create('b', 'q')])).toEqual([]);
  expect(kinds([...before, ...create('d', 'q')])).toEqual(['notLinearizable']);
});

it('orders overlapping requests by their answers alone', () => {
  const [one, endOne] = begin({ f: 'capture', key: 'b', payment: 'p' });
  const [two, endTwo] = begin({ f: 'read', payment: 'p' });
  const seen = (state: 'open' | 'captured') => [
    ...due(4500),
    ...create('a', 'p'),
    one,
    two,
    endTwo({ f: 'read', type: 'ok', payment: 'p', state }),
    endOne({ f: 'capture', type: 'ok', key: 'b', payment: 'p', answer: 'captured' }),
  ];
  expect(kinds(seen('open'))).toEqual([]);
  expect(kinds(seen('captured'))).toEqual([]);
});

it('counts a request of a dead process as one that may take place later', () => {
  const [lost] = begin({ f: 'capture', key: 'b', payment: 'p' });
  expect(kinds([...due(4500), ...create('a', 'p'), lost, ...read('p', 'captured')])).toEqual([]);
});

it('rejects a line of another form', () => {
  expect(() => parseHistory('{"type":"ok"}')).toThrow();
});
