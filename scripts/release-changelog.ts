// Gives the entries under "Unreleased" in CHANGELOG.md the version that the packages now have.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const path = join(root, 'CHANGELOG.md');
const { version } = JSON.parse(readFileSync(join(root, 'packages/core/package.json'), 'utf8'));
const changelog = readFileSync(path, 'utf8');
if (changelog.includes(`\n## ${version} `))
  throw new Error(`${version} is in CHANGELOG.md already`);

const today = new Date().toISOString().slice(0, 10);
const released = changelog.replace(
  '\n## Unreleased\n',
  `\n## Unreleased\n\n## ${version} - ${today}\n`,
);
if (released === changelog) throw new Error('CHANGELOG.md has no heading "Unreleased"');
writeFileSync(path, released);
