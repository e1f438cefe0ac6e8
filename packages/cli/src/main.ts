#!/usr/bin/env node
import { userInfo } from 'node:os';
import { run } from './run.ts';

const { stdout, stderr, stdin, env } = process;
const ended = new AbortController();
process.once('SIGINT', () => ended.abort());
process.once('SIGTERM', () => ended.abort());

/** A container may run under a number without a name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return env['USER'] || 'operator';
  }
}

const status = await run(process.argv.slice(2), {
  cwd: process.cwd(),
  user: userName(),
  stdout,
  stderr,
  stdin,
  hasColours: stdout.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb',
  signal: ended.signal,
});

// A configuration may leave a timer or a connection behind, and a pipe may still have to be written.
stdout.write('', () => process.exit(status));
