#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { type Choices, hosts, processors, stores } from './choices.ts';
import { createProject } from './project.ts';

const usage = `Writes a small project that takes card payments with Chairside.

  create-chairside [folder] [--host <host>] [--store <store>] [--processor <processor>]

  --host       ${Object.keys(hosts).join(', ')}
  --store      ${Object.keys(stores).join(', ')}
  --processor  ${Object.keys(processors).join(', ')}

It asks for what is not given.
`;

const options = {
  host: { type: 'string' },
  store: { type: 'string' },
  processor: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

type Named = Readonly<Record<string, { readonly name: string }>>;

/** Asks once, and reads the lines that a pipe sends before they are asked for. */
const terminal = createInterface({ input: process.stdin });
const lines = terminal[Symbol.asyncIterator]();

async function ask(question: string, fallback: string): Promise<string> {
  process.stdout.write(`${question} [${fallback}] `);
  const { value = '', done } = await lines.next();
  if (done === true) process.stdout.write('\n');
  return value.trim() || fallback;
}

/** The key that was given or is typed, by its name or its number. The first one is the default. */
async function choose<C extends Named>(
  what: string,
  choices: C,
  given: string | undefined,
): Promise<keyof C & string> {
  const keys: readonly (keyof C & string)[] = Object.keys(choices);
  const list = keys.map((key, index) => `  ${index + 1} ${key}: ${choices[key]?.name}`);
  const said =
    given ?? (await ask(`${what[0]?.toUpperCase()}${what.slice(1)}\n${list.join('\n')}\n`, '1'));
  const chosen = keys.find((key, index) => said === key || said === `${index + 1}`);
  if (chosen === undefined) throw new Error(`There is no ${what} ${said}: ${keys.join(', ')}`);
  return chosen;
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  if (values.help === true) {
    process.stdout.write(usage);
    return;
  }
  // What it writes installs by name, which works for a published version only.
  if (existsSync(join(import.meta.dirname, '../src'))) {
    throw new Error('In a clone, run: npx --yes pnpm new <folder>');
  }
  const folder = positionals[0] ?? (await ask('Folder', 'my-shop'));
  const choices: Choices = {
    host: await choose('host', hosts, values.host),
    store: await choose('store', stores, values.store),
    processor: await choose('processor', processors, values.processor),
  };
  const written = createProject(folder, choices);
  if ('why' in written) throw new Error(written.why);
  process.stdout.write(`
${written.length} files are in ${folder}. Next:

  cd ${folder}
  npm install
  npm test

README.md says how to start it.
`);
}

await main().catch((thrown: unknown) => {
  process.stderr.write(`${thrown instanceof Error ? thrown.message : thrown}\n`);
  process.exitCode = 1;
});
terminal.close();
