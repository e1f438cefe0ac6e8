// A project of your own, with the packages of this clone: `npx --yes pnpm new ../my-shop`.
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import {
  type Choices,
  createProject,
  hosts,
  packagesOf,
  processors,
  stores,
} from '../packages/create-chairside/src/index.ts';

const root = join(import.meta.dirname, '..');
/** Where the command was typed. */
const here = process.env['INIT_CWD'] ?? root;
const lowestNode = [22, 18] as const;
const managers = ['npm', 'pnpm', 'yarn', 'bun'] as const;
const timeoutMs = 15 * 60_000;

const usage = `Makes a project that takes card payments, and runs its tests.

  npx --yes pnpm new <folder> [--host <host>] [--store <store>] [--processor <processor>] [--with <manager>]

  --host       ${Object.keys(hosts).join(', ')}
  --store      ${Object.keys(stores).join(', ')}
  --processor  ${Object.keys(processors).join(', ')}
  --with       ${managers.join(', ')}

The first of each is what you get if you name none.
`;

/** The settings that pnpm passes to its scripts are no business of the new project. */
const fresh: NodeJS.ProcessEnv = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(npm_(?!config_globalconfig$)|pnpm_|NODE_OPTIONS$)/.test(name),
  ),
);
/** The environment with the Node of the person who typed the command, not the one of this clone. */
const theirs = {
  ...fresh,
  PATH: (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter(
      (folder) => !folder.endsWith(join('node_modules', '.bin')) && !/node-gyp-bin/.test(folder),
    )
    .join(delimiter),
};

/** Runs a command, and shows its output only if it fails. */
async function step(
  what: string,
  line: readonly [string, ...string[]],
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const [program, ...args] = line;
  const began = performance.now();
  process.stdout.write(`${what} … `);
  await promisify(execFile)(program, args, {
    cwd,
    env,
    timeout: timeoutMs,
    maxBuffer: 2 ** 26,
  }).catch(({ stdout, stderr, message }) => {
    throw new Error(`failed: ${line.join(' ')}\n${stdout ?? ''}${stderr || message}`);
  });
  process.stdout.write(`${Math.ceil((performance.now() - began) / 1000)} s\n`);
}

function choose<C extends object>(what: string, choices: C, given?: string): keyof C & string {
  const keys = Object.keys(choices).filter((key): key is keyof C & string => key in choices);
  const chosen = keys.find((key) => given === undefined || key === given);
  if (chosen === undefined) throw new Error(`There is no ${what} ${given}: ${keys.join(', ')}`);
  return chosen;
}

/** The folder of the packed packages. Building all of them would take twice as long. */
async function pack(names: readonly string[], into: string): Promise<string> {
  const packed = process.env['CHAIRSIDE_TARBALLS'];
  if (packed !== undefined) return packed;
  const build = { ...process.env, CHAIRSIDE_PACKAGES: names.join(',') };
  await step(`Building ${names.length} packages`, ['tsup'], root, build);
  const filters = names.flatMap((name) => ['--filter', name]);
  const line = ['pnpm', ...filters, 'pack', '--pack-destination', into] as const;
  await step('Packing them', line, root, process.env);
  return into;
}

/** Whether the Node of the person who typed the command runs the project, and which it is. */
async function nodeOf(): Promise<{ readonly version: string; readonly isEnough: boolean }> {
  const asked = await promisify(execFile)('node', ['--version'], { env: theirs }).catch(() => ({
    stdout: 'absent',
  }));
  const version = asked.stdout.trim();
  const [major = 0, minor = 0] = version.slice(1).split('.').map(Number);
  const [least, leastMinor] = lowestNode;
  return { version, isEnough: major > least || (major === least && minor >= leastMinor) };
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      host: { type: 'string' },
      store: { type: 'string' },
      processor: { type: 'string' },
      with: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const [name, ...others] = positionals;
  if (values.help === true || name === undefined || others.length > 0) {
    process.stdout.write(usage);
    if (values.help !== true) process.exitCode = 1;
    return;
  }
  const choices: Choices = {
    host: choose('host', hosts, values.host),
    store: choose('store', stores, values.store),
    processor: choose('processor', processors, values.processor),
  };
  const manager = managers.find((one) => one === (values.with ?? 'npm'));
  if (manager === undefined) throw new Error(`There is no ${values.with}: ${managers.join(', ')}`);
  const folder = resolve(here, name);
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new Error(`${name} is not empty.`);

  const packed = mkdtempSync(join(tmpdir(), 'chairside-packed-'));
  try {
    const written = createProject(folder, choices, await pack(packagesOf(choices), packed));
    if ('why' in written) throw new Error(written.why);
    await step(`Installing with ${manager}`, installers[manager], folder, fresh);
    // The tests need a PostgreSQL, which only its owner can start.
    if (choices.store === 'sqlite') {
      await step('Running its tests', [manager, 'run', 'test'], folder, fresh);
    }
  } finally {
    rmSync(packed, { recursive: true, force: true });
  }

  const next = [
    `cd ${name}`,
    ...(choices.store === 'postgres'
      ? ['docker compose up --wait # or set DATABASE_URL in .env', `${manager} run test`]
      : []),
    ...(['nest', 'next'].includes(choices.host) ? [`${manager} run build`] : []),
    `${manager} start${choices.processor === 'stripe' ? ' # fill in .env first' : ''}`,
    ...(choices.processor === 'fake'
      ? [`${manager} run pay # in another shell: a customer pays`]
      : []),
  ];
  const { version, isEnough } = await nodeOf();
  const newer = `Your Node is ${version}; the project needs ${lowestNode.join('.')} or later: nvm install 24, or https://nodejs.org\n\n`;
  const indented = next.map((line) => `  ${line}\n`).join('');
  process.stdout.write(
    `\n${name} takes payments. Next:\n\n${isEnough ? '' : newer}${indented}\nIts README.md says where everything is.\n`,
  );
}

const installers = {
  npm: ['npm', 'install', '--no-audit', '--no-fund'],
  pnpm: ['pnpm', 'install'],
  yarn: ['yarn', 'install'],
  bun: ['bun', 'install'],
} as const;

await main().catch((thrown: unknown) => {
  process.stderr.write(`${thrown instanceof Error ? thrown.message : thrown}\n`);
  process.exitCode = 1;
});
