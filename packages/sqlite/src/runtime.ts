import { err, ok, type Result } from '@chairside/core';
import type { Failure } from './open-failure.ts';

/** In an older Node, loading better-sqlite3 ends the process with a segmentation fault. */
const oldestMajor = 22;

/** Checks the version of Node before SQLite is loaded. */
export function checkRuntime(node: string): Result<void, Failure> {
  return Number.parseInt(node, 10) < oldestMajor
    ? err({ reason: 'failed', why: `SQLite needs Node 22.13 or later, and this is Node ${node}` })
    : ok();
}
