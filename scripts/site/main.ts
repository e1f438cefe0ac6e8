// Builds the documents as a site in coverage/site, and checks it: links and anchors, accessibility, no network,
// search, two widths, light and dark. `--build` leaves the checks in Chromium out. The generator is
// installed in a temporary folder, because only this command needs it.
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brokenLinks } from './links.ts';
import { look } from './look.ts';
import { prepareSite } from './prepare.ts';

const root = join(import.meta.dirname, '../..');
const out = join(root, 'coverage/site');
const folder = mkdtempSync(join(tmpdir(), 'site-'));

function run(cwd: string, command: string, ...args: readonly string[]): void {
  const { status } = spawnSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}`);
}

try {
  prepareSite(folder);
  run(folder, 'npm', 'install', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error');
  run(folder, process.execPath, 'node_modules/vitepress/bin/vitepress.js', 'build');
  rmSync(out, { recursive: true, force: true });
  cpSync(join(folder, 'out'), out, { recursive: true });
  // As llms.txt names the pages.
  for (const page of globSync('**/*.md', { cwd: join(root, 'docs') })) {
    cpSync(join(root, 'docs', page), join(out, page));
  }
  run(root, join(root, 'node_modules/.bin/typedoc'), '--out', join(out, 'api'));
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

const { checked, broken } = brokenLinks(out);
console.log(`${checked} links and anchors, ${broken.length} broken`);
const first = ['index.html', 'guide/till.html', 'guide/first-payment.html', 'interface.html'];
const pages = globSync('{.,guide,operate,reference,decisions}/*.html', { cwd: out });
const others = pages.filter((page) => !first.includes(page) && page !== '404.html').sort();
const { looks, faults } = process.argv.includes('--build')
  ? { looks: 0, faults: [] }
  : await look(out, [...first, ...others], join(root, 'coverage/site-pictures'));
console.log(
  `${first.length + others.length} pages, ${looks} looks by axe, ${faults.length} faults`,
);
for (const fault of [...broken, ...faults]) console.error(fault);
process.exitCode = broken.length + faults.length > 0 ? 1 : 0;
