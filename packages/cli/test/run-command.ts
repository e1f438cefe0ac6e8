import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { ok } from '@chairside/core';
import type { OpenConfig, Opened } from '../src/config.ts';
import { run, type Surroundings } from '../src/run.ts';

export interface Ran {
  readonly status: number;
  readonly output: string;
  readonly errors: string;
}

interface More {
  readonly open?: OpenConfig;
  readonly cwd?: string;
  readonly hasColours?: boolean;
  /** What a person types at the terminal. Without it there is no terminal. */
  readonly typed?: string;
  /** Goes to a file or a pipe, also at a terminal. */
  readonly piped?: 'stdout' | 'stderr';
  readonly columns?: number;
  readonly signal?: AbortSignal;
}

/** Runs a command line in this process. */
export async function runCommand(
  opened: Opened | undefined,
  args: readonly string[],
  more: More = {},
): Promise<Ran> {
  const isTTY = more.typed !== undefined;
  const stdout = Object.assign(new PassThrough(), {
    isTTY: isTTY && more.piped !== 'stdout',
    ...(more.columns !== undefined && { columns: more.columns }),
  });
  const stderr = Object.assign(new PassThrough(), { isTTY: isTTY && more.piped !== 'stderr' });
  const stdin = Object.assign(new PassThrough(), { isTTY });
  stdin.end(more.typed ?? '');
  const around: Surroundings = {
    cwd: more.cwd ?? process.cwd(),
    user: 'night-shift',
    stdout,
    stderr,
    stdin,
    hasColours: more.hasColours ?? false,
    signal: more.signal ?? new AbortController().signal,
  };
  const printed = Promise.all([text(stdout), text(stderr)]);
  const open: OpenConfig | undefined = opened && (async () => ok(opened));
  const status = await run(args, around, more.open ?? open);
  stdout.end();
  stderr.end();
  const [output, errors] = await printed;
  return { status, output, errors };
}
