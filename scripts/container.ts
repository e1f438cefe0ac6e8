// Checks the container files as far as a machine without an engine can. Two linters read them; one knows the
// schema of compose files. Then the steps of the Dockerfile run in a copy of the repository, and its programs there.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, matchesGlob } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startEmbeddedServer } from '../packages/proof/embedded-postgres/src/index.ts';

const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'container-'));
const files = join(root, 'examples/container');
const startTimeoutMs = 60_000;

interface Step {
  readonly name: string;
  readonly rest: string;
}

const steps = readFileSync(join(files, 'Dockerfile'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line): Step => {
    const [name = '', ...rest] = line.split(' ');
    return { name, rest: rest.join(' ') };
  });
const known = [
  'FROM',
  'WORKDIR',
  'COPY',
  'RUN',
  'USER',
  'ENV',
  'EXPOSE',
  'VOLUME',
  'HEALTHCHECK',
  'CMD',
];

const path = [dirname(process.execPath), process.env['PATH']].join(delimiter);
const outer = Object.entries(process.env).filter(
  ([name]) => !/^(npm_(?!config_globalconfig$)|pnpm_|NODE_OPTIONS$)/.test(name),
);
const env: Record<string, string | undefined> = { ...Object.fromEntries(outer), PATH: path };

function run(command: string, args: readonly string[], cwd: string): void {
  console.log(`$ ${command} ${args.join(' ')}`);
  execFileSync(command, args, { cwd, env, stdio: ['ignore', 'inherit', 'inherit'] });
}

function lint(): void {
  const tools = join(folder, 'tools');
  mkdirSync(tools);
  const dependencies = { dclint: '3.1.0', 'dockerfile-utils': '0.16.3' };
  writeFileSync(join(tools, 'package.json'), JSON.stringify({ private: true, dependencies }));
  run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'], tools);
  const template = join(root, 'packages/create-chairside/template/store/postgres');
  const bin = join(tools, 'node_modules/.bin');
  // The formatter writes double quotes.
  const rules = ['--max-warnings', '0', '--disable-rule', 'require-quotes-in-ports'];
  run(join(bin, 'dclint'), [files, template, ...rules], root);
  run(join(bin, 'dockerfile-utils'), ['lint', join(files, 'Dockerfile')], root);
}

/** `COPY . .`: the repository without the ignored files. */
function copy(to: string): void {
  const ignored = readFileSync(join(files, 'Dockerfile.dockerignore'), 'utf8').trim().split('\n');
  const listed = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' });
  for (const file of listed.split('\0').filter((name) => name !== '')) {
    if (ignored.some((pattern) => matchesGlob(file, pattern))) continue;
    mkdirSync(dirname(join(to, file)), { recursive: true });
    cpSync(join(root, file), join(to, file));
  }
}

/** Follows the steps; returns the command that the container starts with. */
function build(place: string): readonly string[] {
  let command: readonly string[] = [];
  for (const { name, rest } of steps) {
    if (!known.includes(name)) throw new Error(`the check does not know ${name}`);
    if (name === 'COPY') copy(place);
    // The account of the base image may be missing here.
    if (name === 'RUN') run('bash', ['-ec', rest.replace(/ && chown \S+/, ' && ls -d')], place);
    if (name === 'ENV') {
      for (const [, key = '', value] of rest.matchAll(/(\w+)=(\S+)/g)) env[key] = value;
    }
    if (name === 'CMD') command = JSON.parse(rest);
  }
  return command;
}

/** Starts the server, and asks it as the HEALTHCHECK does. */
async function serve([program = '', ...args]: readonly string[], place: string): Promise<void> {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  listener.close();
  env['PORT'] = `${typeof address === 'object' ? address?.port : 0}`;
  env['NODE_COMPILE_CACHE'] = join(folder, 'compiled');
  const child = spawn(program, args, { cwd: place, env, stdio: ['ignore', 'ignore', 'inherit'] });
  const exited = once(child, 'exit');
  const health = steps.find(({ name }) => name === 'HEALTHCHECK')?.rest ?? '';
  const [asks = '', ...how]: readonly string[] = JSON.parse(health.slice(health.indexOf('[')));
  try {
    for (const endsAt = performance.now() + startTimeoutMs; ; await delay(200)) {
      const asked = spawn(asks, how, { cwd: place, env, stdio: 'ignore' });
      const [code] = await once(asked, 'exit');
      if (code === 0) break;
      if (performance.now() > endsAt) throw new Error('the server is not healthy');
    }
    console.log('the server is healthy');
  } finally {
    child.kill('SIGTERM');
    await exited;
  }
}

/** The command of the compose file's nodes, with a PostgreSQL server. */
async function runNodes(place: string): Promise<void> {
  const compose = readFileSync(join(files, 'compose.yaml'), 'utf8');
  const [, list = ''] = /command:\n((?: +- .*\n)+)/.exec(compose) ?? [];
  const [program = '', ...args] = [...list.matchAll(/- (.*)/g)].map(([, word = '']) => word);
  const database = await startEmbeddedServer();
  if (database.isErr()) throw new Error(database.error.message);
  env['DATABASE_URL'] = database.value.connectionString;
  try {
    run(program, args, place);
  } finally {
    await database.value.remove();
  }
}

try {
  lint();
  const place = join(folder, 'chairside');
  mkdirSync(place);
  await serve(build(place), place);
  await runNodes(place);
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
