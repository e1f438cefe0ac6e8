import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { failAndRecover } from './fail-and-recover.ts';
import { openSite, type Site } from './site.ts';
import { type Proof, proofOf } from './trace.ts';
import { visit } from './visit.ts';

// Traces the system calls of a server while it opens and captures a payment. It shows that the
// database was on the disk before each response was sent. Linux only.
const version = spawnSync('strace', ['--version'], { encoding: 'utf8' });
if (version.error !== undefined) {
  console.error('strace is not installed. On Debian and Ubuntu: apt-get install strace');
  process.exit(1);
}

if (!(await traceOnePayment())) process.exitCode = 1;
if (!(await failOneFsync())) process.exitCode = 1;

/** One create and one capture, with the kernel's trace. */
async function traceOnePayment(): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'chairside-trace-'));
  const file = join(folder, 'trace');
  const site = await openSite(1, { lanes: 0 });
  // `-D`: the server stays our own child. `-ff`: a file for each thread, so that lines are whole.
  const calls = 'trace=pwrite64,fsync,fdatasync,write,writev';
  await site.start({ wrapper: ['strace', '-D', '-qq', '-ff', '-y', '-e', calls, '-o', file] });
  const [server] = site.servers();
  await pay(site);
  await site.killAll();
  await site.close();
  // The server's main thread writes the database and the responses, and its id is the process id.
  const trace = readFileSync(`${file}.${server?.pid}`, 'utf8').split('\n');
  rmSync(folder, { recursive: true });
  const proofs = [proofOf(trace, 'HTTP/1.1 201'), proofOf(trace, 'HTTP/1.1 200')];
  for (const proof of proofs) tell(proof);
  return proofs.every(({ isDurable }) => isDurable);
}

async function pay({ client, processor }: Site): Promise<void> {
  const chair = {
    client,
    // A server without faults.
    random: { below: () => 50, chance: () => false },
    present: (clientSecret: string) => processor.ask('present', clientSecret, 'mastercard_debit'),
  };
  await visit(chair, 'appointment-traced');
}

function tell({ answer, lines, isDurable }: Proof): void {
  console.log(`\n${answer}: ${isDurable ? 'on the disk before it was sent' : 'NOT PROVEN'}`);
  for (const line of lines) console.log(`  ${line}`);
}

/** The disk fails one fsync in the middle of the load. */
async function failOneFsync(): Promise<boolean> {
  const inject = ['-e', 'trace=fsync', '-e', 'inject=fsync:error=EIO:when=40'];
  const wrapper = ['strace', '-D', '-qq', '-f', ...inject, '-o', '/dev/null'];
  const { told, writtenBefore, captured, violations } = await failAndRecover({ wrapper });
  const unknown = told.filter(({ outcome }) => outcome === 'unknown').length;
  console.log('\nAn fsync that fails with EIO, under load:');
  console.log(`  ${writtenBefore} creates were acknowledged before it`);
  console.log(`  then 503: ${unknown} unknown, ${told.length - unknown} not applied`);
  console.log(
    `  after a restart ${captured} payments were captured, ${violations.length} violations`,
  );
  for (const violation of violations) console.log(`  ${violation}`);
  return violations.length === 0 && unknown > 0;
}
