import * as fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { anyText, now } from '../../test/support.ts';
import { operations } from '../chairside.ts';
import { codePointLength } from '../values/text.ts';
import { formatTimestamp } from '../values/time.ts';
import {
  badRequest,
  doNotRetry,
  fault,
  fieldFault,
  type Problem,
  type ProblemType,
  problemSchema,
  problemTypes,
  retryAfterSeconds,
  retryLater,
  toProblem,
  unavailable,
  unknownRetryLater,
} from './problem.ts';
import { type Reason, reasons } from './reasons.ts';

function occurrence(instance?: string) {
  let ids = 0;
  const newId = () => {
    ids += 1;
    return `prb_${ids}`;
  };
  return { newId, at: now, ...(instance !== undefined && { instance }) };
}

describe('the types of problem', () => {
  it('are those of the interface, D28 and D48, with their statuses', () => {
    expect(Object.entries(problemTypes).map(([type, { status }]) => `${status} ${type}`)).toEqual([
      '400 badRequest',
      '401 unauthorized',
      '403 forbidden',
      '403 contactlessPaymentEntitlementMissing',
      '404 notFound',
      '405 methodNotAllowed',
      '408 requestTimeout',
      '409 conflict',
      '409 appointmentAlreadyPaid',
      '409 contactlessPaymentCanceled',
      '409 contactlessPaymentDeclined',
      '413 contentTooLarge',
      '415 unsupportedMediaType',
      '422 unprocessableEntity',
      '422 paymentProviderNotSetup',
      '422 contactlessPaymentDeviceUnsupported',
      '422 tipTooHigh',
      '429 tooManyRequests',
      '431 headersTooLarge',
      '500 internalError',
      '503 serviceUnavailable',
      '505 httpVersionNotSupported',
    ]);
  });

  it('have titles that fit', () => {
    const titles = Object.values(problemTypes).map(({ title }) => title);
    expect(titles.filter((title) => title.length > 120)).toEqual([]);
    expect(new Set(titles).size).toBe(titles.length);
  });
});

describe('the table of reasons', () => {
  it('names operations that exist', () => {
    const named = Object.values(reasons).flatMap((rows) =>
      Object.values<Reason>(rows).flatMap(({ operations }) => operations),
    );
    expect(Object.keys({ ...operations, ...operations.records })).toEqual(
      expect.arrayContaining(named),
    );
  });
});

describe('a fault', () => {
  it('must not be retried by default (D29)', () => {
    expect(fault('conflict', 'No.')).toEqual({
      type: 'conflict',
      detail: 'No.',
      recovery: doNotRetry,
    });
    const later = fault('conflict', 'Later.', { recovery: retryLater, attributes: { a: 1 } });
    expect(later).toMatchObject({ recovery: retryLater, attributes: { a: 1 } });
  });

  it.each([
    ['captured', {}, doNotRetry],
    ['reservedElsewhere', {}, retryLater],
    ['running', {}, unknownRetryLater],
    ['exceedsRemainingBalance', { isReleased: false }, unknownRetryLater],
    ['exceedsRemainingBalance', { isReleased: true }, doNotRetry],
    ['exceedsRemainingBalance', {}, doNotRetry],
  ] as const)(
    'with the reason %s and %j has the recovery of that reason',
    (reason, more, recovery) => {
      const made = fault('conflict', 'No.', { attributes: { reason, ...more } });
      expect(made.recovery).toBe(recovery);
    },
  );

  it('states the known outcome of an outage', () => {
    expect(unavailable('Gone.', 'notApplied').recovery).toEqual(retryLater);
    expect(unavailable('Gone.', 'unknown').recovery).toEqual(unknownRetryLater);
  });

  it('names one place and its fault', () => {
    expect(fieldFault('/amount', '/amount is required.')).toEqual({
      type: 'badRequest',
      detail: '/amount is required.',
      attributes: { pointer: '/amount' },
      recovery: doNotRetry,
    });
  });

  it('replaces characters of a place that cannot be stored', () => {
    expect(fieldFault('/a\u0000\ud83d', '/a\u0000\ud83d is not known.')).toMatchObject({
      detail: '/a\ufffd\ufffd is not known.',
      attributes: { pointer: '/a\ufffd\ufffd' },
    });
  });

  it('sums up several', () => {
    const faults = ['a', 'b', 'c'].map((name) => fieldFault(`/${name}`, `/${name} is wrong.`));
    expect(badRequest(faults)).toEqual({
      type: 'badRequest',
      detail: '/a is wrong. (and 2 more)',
      recovery: doNotRetry,
      problems: faults,
    });
    expect(badRequest(faults.slice(0, 1)).detail).toBe('/a is wrong.');
    expect(badRequest([]).detail).toBe('The request is not well-formed.');
  });
});

describe('a problem', () => {
  it('has an id, a time and a request; nested problems have them too, but no recovery', () => {
    const faults = [fieldFault('/a', '/a is wrong.'), fieldFault('', 'The body is wrong.')];
    const common = {
      type: 'badRequest',
      title: 'The request is not well-formed',
      status: 400,
      occurredAt: '2026-11-21T09:00:00.000Z',
      instance: '/terminals#req_1',
    };
    expect(toProblem(badRequest(faults), occurrence('/terminals#req_1'))).toEqual({
      ...common,
      id: 'prb_1',
      detail: '/a is wrong. (and 1 more)',
      recovery: doNotRetry,
      problems: [
        { ...common, id: 'prb_2', detail: '/a is wrong.', attributes: { pointer: '/a' } },
        { ...common, id: 'prb_3', detail: 'The body is wrong.', attributes: { pointer: '' } },
      ],
    });
  });

  it('nests at most 128 others, and counts them all', () => {
    const faults = Array.from({ length: 129 }, (_, i) => fieldFault(`/${i}`, `/${i} is wrong.`));
    const made = toProblem(badRequest(faults), occurrence());
    expect(made.problems).toHaveLength(128);
    expect(made.detail).toBe('/0 is wrong. (and 128 more)');
    expect(toProblem(badRequest(faults.slice(1)), occurrence()).problems).toHaveLength(128);
  });

  it('omits absent members', () => {
    const bare = { type: 'notFound', recovery: doNotRetry } as const;
    expect(Object.keys(toProblem(bare, occurrence()))).toEqual([
      'type',
      'title',
      'status',
      'occurredAt',
      'id',
      'recovery',
    ]);
  });

  it('is valid for any content of any length', () => {
    const types = Object.keys(problemTypes).filter((type): type is ProblemType => type !== '');
    const anyFault = fc.record({
      type: fc.constantFrom(...types),
      detail: fc
        .string({ unit: 'binary', maxLength: 600 })
        .map((text) => text.replaceAll('\0', '')),
      places: fc.array(anyText, { maxLength: 200 }),
    });
    fc.assert(
      fc.property(anyFault, ({ type, detail, places }) => {
        const nested = badRequest(places.map((place) => fieldFault(place, detail))).problems ?? [];
        const made = toProblem(fault(type, detail, { problems: nested }), occurrence('/a#1'));
        const wire = { ...made, type: `https://example.com/problems/${type}` };
        expect(v.safeParse(problemSchema, wire).issues).toBeUndefined();
        expect(made.problems).toHaveLength(Math.min(128, places.length));
        expect(codePointLength(made.detail ?? '')).toBeLessThanOrEqual(256);
        const ids = new Set([made.id, ...(made.problems ?? []).map(({ id }) => id)]);
        expect(ids.size).toBe(1 + (made.problems ?? []).length);
      }),
      { numRuns: 50 },
    );
  });
});

describe('retryAfterSeconds', () => {
  const limited = (resetsAt: number): Problem =>
    toProblem(
      fault('tooManyRequests', 'Too many.', {
        recovery: {
          ...retryLater,
          rateLimit: { limit: 1, remaining: 0, resetsAt: formatTimestamp(resetsAt) },
        },
      }),
      occurrence(),
    );
  const plain = (recovery: Problem['recovery']) =>
    toProblem(fault('conflict', 'No.', { recovery }), occurrence());

  it('is the time to the end of the window, rounded up, and at least one', () => {
    fc.assert(
      fc.property(fc.integer({ min: -5000, max: 100_000 }), (ms) => {
        const seconds = retryAfterSeconds(limited(now + ms)) ?? 0;
        expect(Number.isInteger(seconds) && seconds >= 1).toBe(true);
        expect(seconds * 1000).toBeGreaterThanOrEqual(ms);
        expect((seconds - 1) * 1000).toBeLessThan(Math.max(ms, 1));
      }),
    );
  });

  it('is one second without a window, or one that cannot be read', () => {
    expect(retryAfterSeconds(plain(retryLater))).toBe(1);
    expect(retryAfterSeconds(plain(unknownRetryLater))).toBe(1);
    expect(retryAfterSeconds({ ...limited(now + 9000), occurredAt: 'today' })).toBe(1);
  });

  it('is longer where another call runs, or something has to expire', () => {
    const after = (reason: string) =>
      retryAfterSeconds({ ...plain(retryLater), attributes: { reason } });
    expect([after('running'), after('tooManyOpenSetups'), after('other')]).toEqual([2, 60, 1]);
  });

  it('is undefined if waiting does not help', () => {
    expect(retryAfterSeconds(plain(doNotRetry))).toBeUndefined();
    const again = { outcome: 'notApplied', retry: 'retrySameRequest' } as const;
    expect(retryAfterSeconds(plain(again))).toBeUndefined();
  });
});
