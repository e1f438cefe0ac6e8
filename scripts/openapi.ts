// Writes docs/openapi.json. `--check` only compares, and fails if the file is out of date.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { buildOpenApi } from '../packages/h3/src/index.ts';

const path = join(import.meta.dirname, '../docs/openapi.json');
const document = buildOpenApi();

if (process.argv.includes('--check')) {
  // Compares the content, because the formatter breaks lines differently.
  if (!isDeepStrictEqual(JSON.parse(readFileSync(path, 'utf8')), document)) {
    console.error('docs/openapi.json is out of date: run `npx --yes pnpm openapi`');
    process.exitCode = 1;
  }
} else {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(document, null, 2)}\n`);
}
