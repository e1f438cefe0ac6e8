import { minuteMs, type Observation } from '@chairside/core';
import { createManualClock } from '@chairside/testkit';
import { expect, test } from 'vitest';
import { createRareLog, troubleOf } from '../src/rare-log.ts';

const times = { startedAt: 0, endedAt: 0 };

test.for<[Observation, string | undefined]>([
  [{ kind: 'processorCall', name: 'openPayment', outcome: 'ok', ...times }, undefined],
  [{ kind: 'processorCall', name: 'openPayment', outcome: 'rejected', ...times }, undefined],
  [
    { kind: 'processorCall', name: 'openPayment', outcome: 'unavailable', ...times },
    'openPayment: unavailable',
  ],
  [
    { kind: 'processorCall', name: 'readPayment', outcome: 'rateLimited', ...times },
    'readPayment: rateLimited',
  ],
  [
    { kind: 'processorCall', name: 'openPayment', outcome: 'notSetUp', ...times },
    'openPayment: notSetUp',
  ],
  [{ kind: 'operation', name: 'getTerminal', outcome: 'notFound', ...times }, undefined],
  [
    { kind: 'operation', name: 'getTerminal', outcome: 'serviceUnavailable', ...times },
    'getTerminal: serviceUnavailable',
  ],
  [
    { kind: 'operation', name: 'getTerminal', outcome: 'internalError', ...times },
    'getTerminal: internalError',
  ],
  [
    { kind: 'failure', name: 'sweep', outcome: 'storeUnavailable', ...times },
    'sweep: storeUnavailable',
  ],
  [{ kind: 'commit', changes: ['putSchedule'], outcome: 'storeUnavailable', ...times }, undefined],
])('%o prints %s', ([seen, line]) => {
  expect(troubleOf(seen)).toBe(line);
});

test('a line is printed once a minute, with bounded memory', () => {
  const clock = createManualClock();
  const printed: string[] = [];
  const warn = createRareLog(
    (line) => printed.push(line),
    () => clock.now(),
  );
  for (const line of ['a', 'b', 'a']) warn(line);
  expect(printed.splice(0)).toEqual(['a', 'b']);
  clock.advance(minuteMs - 1);
  warn('a');
  expect(printed.splice(0)).toEqual([]);
  clock.advance(1);
  warn('a');
  expect(printed.splice(0)).toEqual(['a']);
  clock.advance(-5 * minuteMs);
  warn('a');
  expect(printed.splice(0), 'a clock that was set back suppresses no line').toEqual(['a']);

  for (let other = 0; other < 200; other += 1) warn(`${other}`);
  printed.splice(0);
  warn('a');
  expect(printed, 'a forgotten line is printed again').toEqual(['a']);
});
