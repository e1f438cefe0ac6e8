import { parseArgs } from 'node:util';
import { type AuthContext, type Chairside, err, ok, type Result } from '@chairside/core';
import { firstLine, type Opened } from './config.ts';
import type { Screen } from './screen.ts';

/** What a command has found, or done. */
export interface Report {
  /** The document of `--json`. */
  readonly document: object;
  /** Something waits for a person: the exit status is 1. */
  readonly needsPerson: boolean;
  /** Printed instead of what `draw` draws: a format of its own, such as CSV. */
  readonly text?: string;
  /** Draws it for a person. */
  draw(screen: Screen): void;
}

/** An error is one sentence, and the exit status 2. */
type Ended = Promise<Result<Report, string>>;

export interface Context {
  readonly opened: Opened;
  readonly chairside: Chairside;
  /** The caller of operations that want one. */
  readonly operator: AuthContext;
  /** Who says it, in the records. */
  readonly by: string;
  /** Waits for a part, and tells a person which one if it takes longer than a second. */
  during<T>(what: string, part: PromiseLike<T>): Promise<T>;
  /** Prints at once, for a command that goes on. */
  print(report: Report): void;
  /** Resolves after this time: false if the person has ended the command meanwhile. */
  wait(ms: number): Promise<boolean>;
  /** Aborts when the person ends the command. */
  readonly signal: AbortSignal;
}

export interface OptionText {
  readonly type: 'string' | 'boolean';
  /** The name of its value in the help. */
  readonly value?: string;
  readonly help: string;
}

type Options = Readonly<Record<string, OptionText>>;

type Values<O extends Options> = {
  readonly [N in keyof O]?: O[N]['type'] extends 'boolean' ? boolean : string;
};

export const commonOptions = {
  config: {
    type: 'string',
    value: 'FILE',
    help: 'the configuration; default: chairside.config.ts',
  },
  sqlite: {
    type: 'string',
    value: 'FILE',
    help: 'looks at a SQLite file instead, and changes nothing',
  },
  json: { type: 'boolean', help: 'prints one JSON document' },
  help: { type: 'boolean', help: 'prints this help' },
} as const satisfies Options;

/** Options of a command that changes something. */
const changeOptions = {
  yes: { type: 'boolean', help: 'does not ask before it changes something' },
  by: { type: 'string', value: 'NAME', help: 'who does it; default: the user of this system' },
} as const satisfies Options;

interface Parsed {
  readonly common: Values<typeof commonOptions>;
  readonly change: Values<typeof changeOptions>;
  /** What a person has to confirm, as a question; absent if nothing is changed. */
  readonly question?: string;
  run(context: Context): Ended;
}

export interface Command {
  /** Its words, such as `reviews resolve`. */
  readonly name: string;
  /** The names of its arguments, such as `ID`. */
  readonly takes: readonly string[];
  readonly summary: string;
  readonly options: Options;
  parse(args: readonly string[]): Result<Parsed, string>;
}

interface Stated<O extends Options> {
  readonly name: string;
  readonly takes?: readonly string[];
  readonly summary: string;
  readonly options?: O;
  /** An option that stands in place of its arguments. */
  readonly instead?: keyof O;
  /** Of a command that changes something: the question that a person confirms. */
  readonly question?: (values: Values<O>, taken: readonly string[]) => string;
  run(context: Context, values: Values<O>, taken: readonly string[]): Ended;
}

export function command<const O extends Options = Record<never, never>>(
  stated: Stated<O>,
): Command {
  const { name, takes = [], summary, instead, question } = stated;
  const own: Options = { ...stated.options, ...(question !== undefined && changeOptions) };
  const options: Options = { ...own, ...commonOptions };
  return {
    name,
    takes,
    summary,
    options: own,
    parse(args) {
      try {
        const { values, positionals } = parseArgs({
          args: [...args],
          options,
          allowPositionals: true,
        });
        const given = values as Values<O & typeof commonOptions & typeof changeOptions>; // cast: `parseArgs` returns a value of each option's type
        const common: Values<typeof commonOptions> = given;
        const isReplaced = instead !== undefined && given[instead] === true;
        const wrong = positionals.length - (isReplaced ? 0 : takes.length);
        if (wrong !== 0 && common.help !== true) {
          const usage = ['chairside', name, ...takes].join(' ');
          return err(`${wrong > 0 ? 'Too many arguments' : 'An argument is missing'}: ${usage}`);
        }
        const parsed: Parsed = {
          common,
          change: given,
          ...(question !== undefined && { question: question(given, positionals) }),
          run: (context) => stated.run(context, given, positionals),
        };
        return ok(parsed);
      } catch (thrown) {
        // The rest explains how to pass an argument that begins with a dash.
        return err(`${firstLine(thrown).split('. ')[0]?.replace(/\.$/, '')}.`);
      }
    },
  };
}
