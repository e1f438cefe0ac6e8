import * as fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { problem, value } from '../../test/support.ts';
import { type ClientOperation, operations } from '../chairside.ts';
import { payoutPreferencesRecordSchema } from '../host/wire.ts';
import { inputSchemaOf, parseInput, Unvalidated } from './operation.ts';

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
