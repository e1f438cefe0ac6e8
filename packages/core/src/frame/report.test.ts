import { expect, it } from 'vitest';
import { testPorts } from '../../test/ports.ts';
import { now } from '../../test/support.ts';
import { err, ok } from '../values/result.ts';
import { valueOrReport } from './commit.ts';

it('a failure of a part is reported, and the run goes on without a value', () => {
  const { ports, seen } = testPorts();
  expect(valueOrReport(ports, 'sweep', ok(7))).toBe(7);
  expect(seen).toEqual([]);
  expect(valueOrReport(ports, 'sweep', err({ kind: 'storeUnavailable' }))).toBeUndefined();
  const failure = { kind: 'failure', name: 'sweep', outcome: 'storeUnavailable' };
  expect(seen).toEqual([{ ...failure, startedAt: now, endedAt: now }]);
});
