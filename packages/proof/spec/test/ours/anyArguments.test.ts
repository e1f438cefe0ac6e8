import * as core from '@chairside/core';
import * as ports from '@chairside/core/ports';
import * as fake from '@chairside/fake-processor';
import * as h3 from '@chairside/h3';
import * as sqlite from '@chairside/sqlite';
import * as stripe from '@chairside/stripe';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

/** They throw a TypeError that names the wrong option, when a host starts (D74). */
const throwAtStart = [
  'createChairside',
  'createFakeProcessor',
  'chairsideHandler',
  'processorEventsHandler',
  'upkeepHandler',
  'readinessHandler',
];
/**
 * For adapters and transports, which the compiler checks. Each takes a value that the core itself made: a
 * fault, a payment, a schema.
 */
const takeOurValues = [
  ...['badRequest', 'fault', 'fieldFault', 'toProblem', 'unavailable', 'withUnknownOutcome'],
  ...['drain', 'sha256Hex'],
  ...['isCounted', 'isFinal', 'isOpened', 'readKept', 'retryAfterSeconds'],
  ...[
    'createIds',
    'otherEntriesToCsv',
    'payoutsToCsv',
    'safeTry',
    'unknownOption',
    'sharesToCsv',
    'statementToCsv',
    'tendersToCsv',
    'typeId',
    'withheldMinor',
    'buildOpenApi',
  ],
  ...['receiptToHtml', 'receiptToText'],
];

const functions = Object.values({ core, ports, fake, h3, sqlite, stripe })
  .flatMap((module) => Object.entries(module))
  .flatMap(([name, value]) => (typeof value === 'function' ? [{ name, call: value }] : []))
  .filter(({ name, call }) => !takeOurValues.includes(name) && !/^class\b/.test(`${call}`));

const anything = fc.oneof(
  fc.anything({ withBigInt: true, withDate: true }),
  fc.constantFrom(undefined, null, Number.NaN, -0, 2 ** 53, 1e308, 10n ** 40n, '', '\0', '\ud800'),
);

describe.each(functions)('$name', ({ name, call }) => {
  it('throws nothing, whatever it is given', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anything, { maxLength: 3 }), async (given) => {
        // SQLite opens any path.
        const args = /sqlite/i.test(name) ? given.filter((one) => typeof one !== 'string') : given;
        try {
          await Reflect.apply(call, undefined, args);
        } catch (thrown) {
          if (!throwAtStart.includes(name)) throw thrown;
          expect(thrown).toBeInstanceOf(TypeError);
        }
      }),
    );
  });
});
