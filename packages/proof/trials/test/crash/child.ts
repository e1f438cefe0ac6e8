import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** The functions of a process in the proof, with plain data as arguments. */
type Calls = Readonly<Record<string, (...args: never[]) => unknown>>;
type Answered<C extends Calls, N extends keyof C> = Promise<Awaited<ReturnType<C[N]>>>;

export interface Child<C extends Calls> {
  readonly pid: number;
  /** Rejects with the thrown error, or when the process ends before its reply. */
  ask<N extends keyof C & string>(name: N, ...args: Parameters<C[N]>): Answered<C, N>;
  /** Kills with `kill -9`; resolves when the process has ended. */
  kill(): Promise<void>;
  readonly ended: Promise<void>;
}

export interface SpawnOptions {
  /** The maximum size of its files in bytes. The kernel treats a larger one as a full disk. */
  readonly maxFileBytes?: number;
  /** The name of a bug to plant into its core, which the proof must find. */
  readonly bug?: string;
  /** A command that runs it, such as a tracer, which must keep its process id. */
  readonly wrapper?: readonly string[];
}

interface Question {
  readonly id: number;
  readonly name: string;
  readonly args: readonly unknown[];
}

interface Answer {
  readonly id: number;
  readonly value?: unknown;
  /** The thrown error instead. */
  readonly failure?: string;
}

/** Runs a file beside this one as a separate process, which receives `setup` at its start. */
export function spawnChild<C extends Calls>(
  file: string,
  setup: unknown,
  { maxFileBytes, bug, wrapper = [] }: SpawnOptions = {},
): Child<C> {
  const pathOf = (name: string) => new URL(name, import.meta.url).pathname;
  const command = [
    ...wrapper,
    process.execPath,
    '--conditions=@chairside/source',
    ...(bug === undefined ? [] : ['--import', pathOf('plant.ts')]),
    pathOf(file),
    JSON.stringify(setup),
    ...(bug === undefined ? [] : [bug]),
  ];
  // The shell's unit is 512 bytes.
  const limit = maxFileBytes === undefined ? 'unlimited' : `${Math.ceil(maxFileBytes / 512)}`;
  const script = `ulimit -f ${limit}; exec "$@"`;
  const child: ChildProcess = spawn('sh', ['-c', script, 'sh', ...command], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const waiting = new Map<number, (answer: Answer) => void>();
  let questions = 0;
  child.on('message', (answer: Answer) => {
    waiting.get(answer.id)?.(answer);
    waiting.delete(answer.id);
  });
  // A channel that breaks during a send means that the process has ended, which is handled below.
  child.on('error', () => undefined);
  const ended = once(child, 'exit').then(([code, signal]) => {
    const failure = `it ended (${signal ?? code})`;
    for (const [id, end] of waiting) end({ id, failure });
    waiting.clear();
  });

  return {
    pid: child.pid ?? 0,
    ask<N extends keyof C & string>(name: N, ...args: Parameters<C[N]>): Answered<C, N> {
      questions += 1;
      const question: Question = { id: questions, name, args };
      return new Promise((resolve, reject) => {
        waiting.set(question.id, ({ value, failure }) => {
          if (failure !== undefined) reject(new Error(`${file}, asked to ${name}: ${failure}`));
          // cast: the other side runs the function of this name, which has this type
          else resolve(value as Awaited<ReturnType<C[N]>>);
        });
        child.send(question, () => undefined);
      });
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
    ended,
  };
}

/** The other side: runs the called functions, and ends when its parent has ended. */
export function answer<C extends Calls>(calls: C): void {
  process.on('message', async ({ id, name, args }: Question) => {
    try {
      // cast: the other side sends the arguments of the function that it names
      const value = await calls[name]?.(...(args as never[]));
      process.send?.({ id, value } satisfies Answer);
    } catch (thrown) {
      process.send?.({ id, failure: String(thrown) } satisfies Answer);
    }
  });
  process.once('disconnect', () => process.exit());
}

/** The setup that the process received at its start. */
export function setupOf<S>(): S {
  return JSON.parse(process.argv[2] ?? '');
}
