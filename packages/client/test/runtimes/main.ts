// Takes a payment under Node, Bun and Deno from the local server, and one whose process is killed
// after the tap: `npx --yes pnpm --filter @chairside/client check:runtimes`. Bun and Deno (about
// 200 MB) are installed for the run alone.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isObject } from '../../src/parse.ts';
import { startLocalServer } from '../browser/local-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'chairside-runtimes-'));
const tools = join(folder, 'node_modules/.bin');
const script = join(import.meta.dirname, 'payment.ts');
const runtimes = [
  { name: 'Node', command: process.execPath, args: [] },
  { name: 'Bun', command: join(tools, 'bun'), args: [] },
  { name: 'Deno', command: join(tools, 'deno'), args: ['run', '-A', '--no-config'] },
] as const;
const expected = JSON.stringify({ step: 'captured', payments: ['captured 45.00'], notes: 0 });

execFileSync('npm', ['install', '--no-save', '--prefix', folder, 'bun@1.4.5', 'deno@2.9.6'], {
  stdio: 'ignore',
});
const server = await startLocalServer();
try {
  for (const { name, command, args } of runtimes) {
    const version = execFileSync(command, ['--version'], { encoding: 'utf8' }).split('\n', 1);
    for (const kill of [[], ['dies']]) {
      const appointment = await newAppointment();
      const given = [...args, script, server.url, appointment, join(folder, name)];
      const options = { encoding: 'utf8', timeout: 60_000 } as const;
      const killed = kill.map((how) => spawnSync(command, [...given, how], options).signal);
      const { stdout, stderr } = spawnSync(command, given, options);
      const isRight = stdout.trim() === expected && killed.every((by) => by === 'SIGKILL');
      const plan = kill.length > 0 ? 'killed after the tap, started again' : 'undisturbed';
      console.log(`${name} (${version}), ${plan}: ${isRight ? 'charged once' : 'WRONG'}`);
      if (isRight) continue;
      console.error(killed, stdout, stderr);
      process.exitCode = 1;
    }
  }
} finally {
  await server.stop();
  rmSync(folder, { recursive: true });
}

async function newAppointment(): Promise<string> {
  const response = await fetch(`${server.url}/demo/appointments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ amountDue: '45.00' }),
  });
  const body: unknown = await response.json();
  return isObject(body) ? String(body['id']) : '';
}
