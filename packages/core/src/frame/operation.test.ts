import * as fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { testPorts } from '../../test/ports.ts';
import { problem, value } from '../../test/support.ts';
import { type ClientOperation, operations } from '../chairside.ts';
import { payoutPreferencesRecordSchema } from '../host/wire.ts';
import * as listed from '../operations.ts';
import type { Store } from '../ports/store.ts';
import { fault, type ProblemOf } from '../problems/problem.ts';
import { terminalSchema } from '../terminal/wire.ts';
import { err, ok, okAsync, type ResultAsync } from '../values/result.ts';
import {
  bind,
  inputSchemaOf,
  operation,
  parseInput,
  toLimit,
  toTimeoutMs,
  Unvalidated,
} from './operation.ts';
import type { CommonProblem } from './perform.ts';

const facts = {
  limit: 'writes',
  problems: ['badRequest'],
  group: 'Terminals',
  summary: 'Puts a thing',
  description: '',
} as const;
const ada = { subject: 'user-1', barberId: 'barber-1' };

describe('the record of an operation', () => {
  it('is bound to ports, with its name for the observer and its rate limit (D147)', async () => {
    const stated = operation({
      ids: ['thingId'],
      limit: 'reads',
      problems: ['notFound'],
      group: 'Terminals',
      summary: 'Reads a thing',
      description: '',
      output: v.number(),
    })(async (_, { thingId }) =>
      thingId === 'one' ? ok(1) : err(fault('notFound', 'There is no such thing.')),
    );
    const { ports, seen } = testPorts();
    const { getThing, inner } = bind(ports, { getThing: stated, inner: { getThing: stated } });
    expect(value(await getThing(ada, { thingId: 'one' }))).toBe(1);
    expect(problem(await inner.getThing(ada, { thingId: 'two' })).type).toBe('notFound');
    expect(problem(await getThing(undefined, { thingId: 'one' })).type).toBe('unauthorized');
    const name = 'getThing';
    expect(seen).toMatchObject([{ name }, { name }, { name }]);
    const bound: (
      caller: undefined,
      input: { readonly thingId: string },
    ) => ResultAsync<number, ProblemOf<'notFound' | CommonProblem>> = getThing;
    expect(bound).toBe(getThing);
  });

  it('names every operation once, although each is in an object of its own', () => {
    const names = Object.values(listed).flatMap((object) => Object.keys(object));
    expect(Object.keys(operations).sort()).toEqual(names.sort());
  });

  it('checks its key, its body and its query, if it has them', async () => {
    const text = v.object({ text: v.string() });
    const isValid = (parts: Parameters<typeof inputSchemaOf>[0], input: object) => {
      const schema = inputSchemaOf(parts);
      return schema && v.safeParse(schema, input).success;
    };
    expect(isValid({}, {})).toBeUndefined();
    expect(isValid({ idempotencyKey: 'optional' }, {})).toBe(true);
    expect(isValid({ idempotencyKey: 'required' }, {})).toBe(false);
    expect(isValid({ query: text.entries }, { query: { text: 'a' } })).toBe(true);
    expect(isValid({ query: text.entries }, { query: {} })).toBe(false);
    expect(isValid({ body: { schema: text, required: true } }, { body: {} })).toBe(false);
  });

  it.each([true, false])('has an empty body where it may be absent: %s', async (required) => {
    const stated = operation({
      ...facts,
      body: { schema: v.object({ text: v.optional(v.string()) }), required },
      output: v.unknown(),
    })(async (_, { body }) => ok(body));
    const { putThing } = bind(testPorts().ports, { putThing: stated });
    const put = await putThing(ada, {} as never); // cast: the body is absent
    expect(put.isOk() ? put.value : put.error.type).toEqual(required ? 'badRequest' : {});
  });

  it('has no member beside its parts, and a body that JSON can hold (D12)', async () => {
    const stated = operation({
      ...facts,
      ids: ['thingId'],
      body: { schema: v.object({ amount: v.optional(v.string()) }), required: false },
      output: v.unknown(),
    })(async (_, { body }) => ok(body));
    const { refundThing } = bind(testPorts().ports, { refundThing: stated });
    // cast: hosts without types, or with a variable of a wider type, pass anything
    const refund = (input: object) => refundThing(ada, input as { readonly thingId: string });
    expect(value(await refund({ thingId: 'a', body: undefined, amount: undefined }))).toEqual({});
    const faultOf = async (input: object) => problem(await refund(input)).problems?.[0]?.detail;
    expect(await faultOf({ thingId: 'a', amount: '5.00' })).toBe(
      '/amount is not a known property.',
    );
    const bodies = [null, [], new Map(), new Date(), Promise.resolve({ amount: '5.00' }), () => {}];
    for (const body of bodies) {
      expect(await faultOf({ thingId: 'a', body })).toBe('The body must be an object.');
    }
    class Refund {
      amount = '5.00';
    }
    expect(value(await refund({ thingId: 'a', body: new Refund() }))).toEqual({ amount: '5.00' });
  });

  it('takes its input as an object wherever it has any', async () => {
    const output = v.unknown();
    const plain = operation({ ...facts, output })(async () => ok('done'));
    const named = operation({ ...facts, ids: ['thingId'], output })(async () => ok('done'));
    const body = { schema: v.object({}), required: true } as const;
    const filled = operation({ ...facts, body, output })(async () => ok('done'));
    const bound = bind(testPorts().ports, { plain, named, filled });
    expect(value(await bound.plain(ada))).toBe('done');
    // cast: hosts without types may leave the input out
    for (const call of [bound.named, bound.filled] as unknown as (typeof bound.plain)[]) {
      expect(problem(await call(ada)).problems?.[0]?.detail).toBe('The input must be an object.');
    }
  });

  it.each([
    ['another operation', true, 'unknown'],
    ['doThing', true, 'unknown'],
    ['doThing', false, 'notApplied'],
  ])('of %s judges what the key of a refusal claimed: %s', async (operationName, may, outcome) => {
    const stated = operation({
      ...facts,
      problems: ['badRequest', 'notFound'],
      idempotencyKey: 'required',
      mayBeApplied: async (_, { resourceId }) => resourceId === 'thing-1' && may,
      output: v.string(),
    })(async () => err(fault('notFound', 'There is no such thing.')));
    const { ports } = testPorts();
    const record = { operation: operationName, resourceId: 'thing-1' };
    // cast: the record of a key is read for these two members
    const keys = { get: () => okAsync(record) } as unknown as Store['keys'];
    const plain = operation({ ...facts, output: v.string() })(async () => ok('done'));
    const bound = bind({ ...ports, store: { ...ports.store, keys } }, { plain, doThing: stated });
    const { recovery } = problem(await bound.doThing(ada, { idempotencyKey: 'k' }));
    expect(recovery.outcome).toBe(outcome);
  });

  it('checks its key although it has no body', async () => {
    const stated = operation({
      ...facts,
      idempotencyKey: 'required',
      mayBeApplied: async () => true,
      output: v.string(),
    })(async (_, { idempotencyKey }) => ok(idempotencyKey));
    const { doThing } = bind(testPorts().ports, { doThing: stated });
    expect(value(await doThing(ada, { idempotencyKey: 'k' }))).toBe('k');
    expect(problem(await doThing(ada, { idempotencyKey: ' ' })).type).toBe('badRequest');
  });

  it('is refused at load if it lacks what its input needs', () => {
    const keyed = { ...facts, idempotencyKey: 'required' } as const;
    expect(() => operation(keyed)).toThrow('"Puts a thing" takes a key, so it needs mayBeApplied');
    const body = { schema: terminalSchema, required: true };
    expect(() => operation({ ...facts, problems: ['notFound'], body })).toThrow(
      '"Puts a thing" checks its input, so it needs the problem badRequest',
    );
  });

  it('does not compile if its steps differ from what it states', () => {
    const body = { schema: terminalSchema, required: true } as const;
    const state = operation({ ...facts, body, output: terminalSchema });
    expect(state(async (_, given) => ok(given.body)).limit).toBe('writes');
    // @ts-expect-error it states no query
    state(async (_, { query }) => ok(query));
    // @ts-expect-error the schema shows another result
    state(async () => ok(7));
    // @ts-expect-error it does not state this problem
    state(async () => err(fault('notFound', 'There is no such thing.')));
  });
});

/** The schema of an operation's checked parts. */
function partsOf(name: ClientOperation): v.GenericSchema {
  const schema = inputSchemaOf(operations[name]);
  if (schema === undefined) throw new Error(`${name} checks nothing`);
  return schema;
}

/** The places and messages of the faults. */
function faults(schema: v.GenericSchema, input: Readonly<Record<string, unknown>>) {
  const { type, problems = [] } = problem(parseInput(schema, input));
  expect(type).toBe('badRequest');
  return problems.map(({ attributes, detail }) => {
    const { pointer } = attributes ?? {};
    return [pointer, detail];
  });
}

const register = (body: unknown) =>
  faults(partsOf('registerTerminal'), { body: new Unvalidated(body) });

describe('an input', () => {
  it('is the output of the schema, typed or unvalidated', () => {
    const body = { amount: '45.00' };
    const parse = (body: unknown) =>
      value(
        parseInput(partsOf('createContactlessPayment'), {
          idempotencyKey: 'k',
          body,
        }),
      );
    expect(parse(body)).toEqual({ idempotencyKey: 'k', body });
    expect(parse(new Unvalidated(body))).toEqual({ idempotencyKey: 'k', body });
    expect(parse({})).toEqual({ idempotencyKey: 'k', body: {} });
  });

  it('names every invalid place by JSON Pointer or header (D12)', () => {
    const wrong = { externalPaymentReference: { id: '', paymentProcessor: 'stripe' } };
    const input = { idempotencyKey: '', body: new Unvalidated(wrong) };
    expect(faults(partsOf('captureContactlessPayment'), input)).toEqual([
      ['header/Idempotency-Key', 'The idempotency key must have 1 to 255 characters.'],
      [
        '/externalPaymentReference/id',
        '/externalPaymentReference/id must have 1 to 255 characters.',
      ],
      [
        '/externalPaymentReference/paymentProcessor',
        '/externalPaymentReference/paymentProcessor must be "processor_a".',
      ],
    ]);
  });

  it('says whether a member is missing, unknown or of another type (D33)', () => {
    const device = { platform: 'ios', deviceIdentifier: 'device-1' };
    expect(register({})).toEqual([
      ['/platform', '/platform is required.'],
      ['/deviceIdentifier', '/deviceIdentifier is required.'],
    ]);
    expect(register({ ...device, colour: 'red' })).toEqual([
      ['/colour', '/colour is not a known property.'],
    ]);
    expect(register({ ...device, osVersion: 17 })).toEqual([
      ['/osVersion', '/osVersion must be a string.'],
    ]);
    expect(register({ ...device, platform: 'windows' })).toEqual([
      ['/platform', '/platform must be "ios" or "android".'],
    ]);
  });

  it('says what an idempotency key is if it is missing', () => {
    const body = new Unvalidated({});
    expect(faults(partsOf('createContactlessPayment'), { body })).toEqual([
      [
        'header/Idempotency-Key',
        'The idempotency key is required: a new one for each new request, the same one for its retries.',
      ],
    ]);
  });

  it('gives one reason for each place', () => {
    expect(register({ platform: 'ios', deviceIdentifier: '\0'.repeat(256) })).toHaveLength(1);
  });

  it.each([
    [undefined, 'The body is required.'],
    [null, 'The body must be an object.'],
    ['{}', 'The body must be an object.'],
    [7, 'The body must be an object.'],
    [[], 'The body must be an object.'],
  ])('describes a body that is %j: %s', (body, detail) => {
    expect(register(body)).toEqual([['', detail]]);
  });

  it.each([[[]], [['pi_1']]])('names an array instead of an object: %j', (reference) => {
    const body = new Unvalidated({ externalPaymentReference: reference, tip: 1 });
    const input = { idempotencyKey: 'k', body };
    expect(faults(partsOf('captureContactlessPayment'), input)).toEqual([
      ['/externalPaymentReference', '/externalPaymentReference must be an object.'],
      ['/tip', '/tip is not a known property.'],
    ]);
  });

  it('escapes names in pointers', () => {
    const device = { platform: 'ios', deviceIdentifier: 'device-1' };
    expect(register({ ...device, 'a/b~c': 1 })).toEqual([
      ['/a~1b~0c', '/a~1b~0c is not a known property.'],
    ]);
  });

  it('omits names that are long, or unsafe for a log or a screen (D12)', () => {
    const device = { platform: 'ios', deviceIdentifier: 'device-1' };
    const longest = 'x'.repeat(127);
    expect(register({ ...device, [longest]: 1 })[0]?.[0]).toBe(`/${longest}`);
    const names = [
      `${longest}x`,
      '~'.repeat(64),
      'a\nb',
      '\u001b[2J',
      '\0',
      '\u202e',
      '\u2028',
      '\ud800',
    ];
    for (const name of names) {
      expect(register({ ...device, [name]: 1 })).toEqual([
        ['', 'The body has an unknown property.'],
      ]);
    }
    const reference = { id: 'pi_1', paymentProcessor: 'processor_a', 'a\tb': 1 };
    const input = {
      idempotencyKey: 'k',
      body: new Unvalidated({ externalPaymentReference: reference }),
    };
    expect(faults(partsOf('captureContactlessPayment'), input)).toEqual([
      ['/externalPaymentReference', '/externalPaymentReference has an unknown property.'],
    ]);
  });

  it('gives the best pointer for a fault without a place', () => {
    const somewhere = v.object({ path: v.object({ id: v.string() }) });
    expect(faults(somewhere, { path: { id: 1 } })).toEqual([
      ['path/id', 'path/id must be a string.'],
    ]);
    const refused = v.pipe(
      v.looseObject({}),
      v.rawTransform(({ addIssue, NEVER }) => {
        addIssue();
        return NEVER;
      }),
    );
    expect(faults(refused, {})).toEqual([['', 'The body must be another value.']]);
  });

  it('never repeats the sent value', () => {
    const secret = fc.stringMatching(/^[A-Z]{12,40}$/);
    fc.assert(
      fc.property(secret, fc.nat(3), (sent, place) => {
        const bodies = [
          sent,
          { platform: sent, deviceIdentifier: 'device-1' },
          { platform: 'ios', deviceIdentifier: [sent] },
          { platform: 'ios', deviceIdentifier: 'device-1', osVersion: `${sent}${'x'.repeat(50)}` },
        ];
        expect(JSON.stringify(register(bodies[place]))).not.toContain(sent);
      }),
    );
  });

  it('ignores inherited properties', () => {
    const body = { platform: 'ios', deviceIdentifier: 'device-1', constructor: 1 };
    expect(register(body)).toEqual([['/constructor', '/constructor is not a known property.']]);
  });

  it('names each unknown property, at every level (D12)', () => {
    const reference = { id: '', paymentProcessor: 'processor_a', colour: 1, shape: 2 };
    const body = new Unvalidated({ tip: 1, externalPaymentReference: reference, note: 2 });
    const input = { idempotencyKey: 'k', body };
    const places = faults(partsOf('captureContactlessPayment'), input).map(([place]) => place);
    expect(places.toSorted()).toEqual([
      '/externalPaymentReference/colour',
      '/externalPaymentReference/id',
      '/externalPaymentReference/shape',
      '/note',
      '/tip',
    ]);
  });

  it('names at most 128, and counts the rest (D12, D63)', () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`p${i}`, 1]));
    const body = new Unvalidated({ platform: 'ios', deviceIdentifier: 'device-1', ...many });
    const { detail, problems } = problem(parseInput(partsOf('registerTerminal'), { body }));
    expect(problems).toHaveLength(128);
    expect(detail).toBe('/p0 is not a known property. (and 499 more)');
  });

  it('names one if the closed object is one of several', () => {
    const settings = { frequency: 'manual', delayDays: 1, dayOfMonth: 2 };
    expect(faults(payoutPreferencesRecordSchema, { businessId: 'b', settings })).toEqual([
      ['/settings/delayDays', '/settings/delayDays is not a known property.'],
    ]);
  });
});

it.each([
  [undefined, 100],
  [Number.NaN, 100],
  [-1, 1],
  [0, 1],
  [7.9, 7],
  [1000, 1000],
  [Number.POSITIVE_INFINITY, 1000],
])('a limit of %s items is %s', (asked, expected) => {
  expect(toLimit(asked)).toBe(expected);
});

it.each([
  [undefined, 5000],
  [Number.NaN, 5000],
  [-1, 5000],
  [0, 5000],
  [1, 1],
  // A longer delay of a timer fires at once.
  [2 ** 31, 2 ** 31 - 1],
])('a timeout of %s ms is %s ms', (asked, expected) => {
  expect(toTimeoutMs(asked, 5000)).toBe(expected);
});
