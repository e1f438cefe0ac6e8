import { createInterface } from 'node:readline/promises';
import { setTimeout } from 'node:timers/promises';
import { styleText } from 'node:util';
import { type AuthContext, err, ok, type Result, secondMs } from '@chairside/core';
import {
  type Command,
  type Context,
  commonOptions,
  type OptionText,
  type Report,
} from './command.ts';
import { appointment } from './commands/appointment.ts';
import { doctor } from './commands/doctor.ts';
import { events, replayEvents, retryEvent, skipEvent } from './commands/events.ts';
import { payment } from './commands/payment.ts';
import { resolveReview, reviews } from './commands/reviews.ts';
import { payouts, statement } from './commands/statement.ts';
import { upkeep } from './commands/upkeep.ts';
import { firstLine, type OpenConfig, type Opened, openConfig } from './config.ts';
import { col, createScreen, type Paint, show, showLines, type Tone, wide } from './screen.ts';

/** The process around a command. Tests give their own. */
export interface Surroundings {
  readonly cwd: string;
  readonly user: string;
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly hasColours: boolean;
  /** Ends a command that goes on, such as `upkeep --watch`. */
  readonly signal: AbortSignal;
}

const commands: readonly Command[] = [
  doctor,
  payment,
  appointment,
  reviews,
  resolveReview,
  events,
  retryEvent,
  skipEvent,
  replayEvents,
  statement,
  payouts,
  upkeep,
];

const isWell = 0;
const needsPerson = 1;
/** The command could not do its work: a sentence says why. */
const failed = 2;

/** Runs a command line. Returns the exit status, and never rejects. */
export async function run(
  args: readonly string[],
  around: Surroundings,
  open: OpenConfig = openConfig,
): Promise<number> {
  const ended = await runCommand(args, around, open).catch((thrown: unknown) =>
    err(firstLine(thrown)),
  );
  if (ended.isOk()) return ended.value;
  around.stderr.write(`chairside: ${show(ended.error)}\n`);
  return failed;
}

async function runCommand(
  args: readonly string[],
  around: Surroundings,
  open: OpenConfig,
): Promise<Result<number, string>> {
  const { stdout } = around;
  const chosen = commandOf(args);
  if (chosen === undefined) {
    const [word] = args.filter((arg) => !arg.startsWith('-'));
    const wantsHelp = word === undefined || word === 'help';
    if (!wantsHelp) return err(`There is no command ${word}; chairside --help lists them.`);
    stdout.write(overview());
    return ok(args.length === 0 ? failed : isWell);
  }
  const { command, rest } = chosen;
  const parsed = command.parse(rest);
  if (parsed.isErr()) return err(parsed.error);
  const { common, change, question } = parsed.value;
  if (common.help === true) {
    stdout.write(helpOf(command));
    return ok(isWell);
  }
  if (question !== undefined && common.sqlite !== undefined) {
    return err('With --sqlite nothing can be changed: use chairside.config.ts.');
  }
  const isJson = common.json === true;
  const during = progressOn(around);
  const { cwd } = around;
  const { config, sqlite } = common;
  const opened = await during('opening', open({ cwd, config, sqlite }));
  if (opened.isErr()) return err(opened.error);
  try {
    if (question !== undefined && change.yes !== true && !(await confirm(question, around))) {
      return err('Nothing was changed.');
    }
    const { by = around.user } = change;
    const print = (report: Report) => stdout.write(textOf(report, isJson, around));
    const operator: AuthContext = { subject: by, systemAdministrator: true };
    const { signal } = around;
    const wait = (ms: number) => setTimeout(ms, true, { signal }).catch(() => false);
    const { chairside } = opened.value;
    const context = { opened: opened.value, chairside, operator, by, during, print, wait, signal };
    const ended = await parsed.value.run(context);
    if (ended.isErr()) return err(ended.error);
    print(ended.value);
    const { faults = new Set() } = opened.value;
    for (const fault of faults) around.stderr.write(`chairside: ${show(fault)}\n`);
    return ok(ended.value.needsPerson || faults.size > 0 ? needsPerson : isWell);
  } finally {
    await close(opened.value);
  }
}

/** The command with the most words that fit, such as `reviews resolve`. */
function commandOf(args: readonly string[]) {
  for (const words of [2, 1]) {
    const command = commands.find(({ name }) => name === args.slice(0, words).join(' '));
    if (command !== undefined) return { command, rest: args.slice(words) };
  }
  return undefined;
}

async function close({ close: own, chairside }: Opened): Promise<void> {
  if (own !== undefined) return own();
  await chairside.settled();
  await chairside.ports.store.close();
}

/** Tells on the standard error what takes longer than a second. */
function progressOn({ stderr }: Surroundings): Context['during'] {
  return async (what, part) => {
    const isTerminal = stderr.isTTY === true;
    let isShown = false;
    const timer = globalThis.setTimeout(() => {
      isShown = true;
      stderr.write(isTerminal ? `… ${what}` : `… ${what}\n`);
    }, secondMs);
    try {
      return await part;
    } finally {
      clearTimeout(timer);
      if (isShown && isTerminal) stderr.write('\r\u001b[K');
    }
  };
}

/** Scripts have no terminal, and are not asked. A person may send one of the outputs elsewhere, as with `| tee`. */
async function confirm(question: string, { stdin, stdout, stderr }: Surroundings) {
  const output = [stderr, stdout].find(({ isTTY }) => isTTY === true);
  if (stdin.isTTY !== true || output === undefined) return true;
  const asking = createInterface({ input: stdin, output });
  const answer = await asking.question(`${show(question)} [y/N] `).catch(() => '');
  asking.close();
  return /^y(es)?$/i.test(answer.trim());
}

const widest = 100;
const narrowest = 60;

function textOf(report: Report, isJson: boolean, { stdout, hasColours }: Surroundings): string {
  if (isJson) return `${showLines(JSON.stringify(report.document, undefined, 2))}\n`;
  if (report.text !== undefined) {
    return stdout.isTTY === true ? showLines(report.text) : report.text;
  }
  const width = Math.max(narrowest, Math.min(widest, stdout.columns ?? widest));
  const screen = createScreen(width, hasColours ? colours : plain);
  report.draw(screen);
  return screen.text();
}

const plain: Paint = (_, text) => text;

const styles = {
  plain: [],
  strong: ['bold'],
  faint: ['dim'],
  good: ['green'],
  warning: ['yellow'],
  bad: ['red'],
} as const satisfies Readonly<Record<Tone, readonly unknown[]>>;

const colours: Paint = (tone, text) =>
  text === '' || tone === 'plain'
    ? text
    : styleText([...styles[tone]], text, { validateStream: false });

function overview(): string {
  const screen = createScreen(widest, plain);
  screen.line('Operates Chairside: is something wrong, which payment, what happened, what to do.');
  screen.part('Commands');
  screen.table(commands, [
    col('', ({ name, takes }) => [name, ...takes].join(' ')),
    wide('', ({ summary }) => summary),
  ]);
  drawOptions(screen, commonOptions);
  drawStatuses(screen);
  return screen.text();
}

function helpOf({ name, takes, summary, options }: Command): string {
  const screen = createScreen(widest, plain);
  screen.line(`chairside ${[name, ...takes].join(' ')}: ${summary}.`);
  drawOptions(screen, { ...options, ...commonOptions });
  drawStatuses(screen);
  return screen.text();
}

function drawOptions(
  screen: ReturnType<typeof createScreen>,
  options: Readonly<Record<string, OptionText>>,
): void {
  screen.part('Options');
  screen.table(Object.entries(options), [
    col('', ([name, { value }]) => `--${name}${value === undefined ? '' : ` ${value}`}`),
    wide('', ([, { help }]) => help),
  ]);
}

function drawStatuses(screen: ReturnType<typeof createScreen>): void {
  screen.part('Exit status');
  screen.line('0: all is well. 1: something needs a person. 2: the command could not do its work.');
}
