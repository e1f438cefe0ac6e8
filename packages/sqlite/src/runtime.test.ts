import { expect, it } from 'vitest';
import { checkRuntime } from './connect.ts';

it.each(['18.20.8', '20.20.2', '21.7.3', '22.13.1', '23.5.0'])(
  'refuses Node %s, which SQLite would crash',
  (node) => {
    expect(checkRuntime(node)._unsafeUnwrapErr()).toEqual({
      reason: 'failed',
      why: `SQLite needs Node 22.14, 23.6 or later, and this is Node ${node}`,
    });
  },
);

it.each(['22.14.0', '23.6.0', '24.21.0', '100.0.0', process.versions.node])(
  'accepts Node %s',
  (node) => {
    expect(checkRuntime(node).isOk()).toBe(true);
  },
);
