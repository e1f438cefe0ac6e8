import { expect, it } from 'vitest';
import { valueOrReport } from '../src/frame/call.ts';
import { err, ok } from '../src/values/result.ts';
import { testPorts } from './ports.ts';
import { now } from './support.ts';

it('a failure of a part is reported, and the run goes on without a value', () => {
  const { ports, seen } = testPorts();
  expect(valueOrReport(ports, 'sweep', ok(7))).toBe(7);
  expect(seen).toEqual([]);
  expect(valueOrReport(ports, 'sweep', err({ kind: 'storeUnavailable' }))).toBeUndefined();
  const failure = { kind: 'failure', name: 'sweep', outcome: 'storeUnavailable' };
  expect(seen).toEqual([{ ...failure, startedAt: now, endedAt: now }]);
});
