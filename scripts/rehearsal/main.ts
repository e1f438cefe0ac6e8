// Rehearses a release on this machine: publishes all packages to a registry on loopback by the steps of
// the release workflow. Then a new project of each package manager installs them by name and takes a payment.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installTools, managers } from './managers.ts';
import { publishAll } from './publish.ts';
import { startRegistry } from './registry.ts';
import { takePayment, takePaymentFromTemplate } from './stranger.ts';

const maxSeconds = 60;

const folder = mkdtempSync(join(tmpdir(), 'rehearsal-'));
const registry = await startRegistry(folder);
try {
  const tools = await installTools(join(folder, 'tools'));
  const published = await publishAll(folder, registry.url);
  console.log(`published ${published.length} packages: ${published.join(', ')}\n`);
  for (const manager of managers) {
    for (const take of [takePayment, takePaymentFromTemplate]) {
      const { seconds, commands } = await take(manager, { folder, tools, url: registry.url });
      const isSlow = seconds > maxSeconds;
      console.log(`${manager.name}: ${seconds.toFixed(1)} s${isSlow ? ', too slow' : ''}`);
      for (const command of commands) console.log(`  ${command}`);
      if (isSlow) process.exitCode = 1;
    }
  }
} finally {
  await registry.stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
