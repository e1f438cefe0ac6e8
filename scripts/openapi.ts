// Writes the OpenAPI documents: the interface, and its extensions that a host may switch on, and the webhooks. It also
// writes the client's tables of operations.
// `--check` only compares, and fails if a file is out of date.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { buildOpenApi, optionalGroups } from '../packages/h3/src/index.ts';
import { clientTables } from './client-operations.ts';
import { buildWebhooksOpenApi } from './webhooks-openapi.ts';

const documents = {
  'docs/openapi.json': buildOpenApi(),
  ...Object.fromEntries(
    Object.entries(optionalGroups).map(([name, group]) => [
      `docs/openapi-${name}.json`,
      buildOpenApi(group),
    ]),
  ),
  'docs/openapi-webhooks.json': buildWebhooksOpenApi(),
};

for (const [file, document] of Object.entries(documents)) {
  const path = join(import.meta.dirname, '..', file);
  if (process.argv.includes('--check')) {
    // Compares the content, because the formatter breaks lines differently.
    if (!isDeepStrictEqual(JSON.parse(readFileSync(path, 'utf8')), document)) {
      console.error(`${file} is out of date: run \`npx --yes pnpm generate\``);
      process.exitCode = 1;
    }
  } else {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${JSON.stringify(document, null, 2)}\n`);
  }
}

/** The code without the formatter's spaces, line breaks and last commas. */
const unformatted = (code: string) => code.replaceAll(/\s+/g, '').replaceAll(/,([)}\]])/g, '$1');

for (const [file, code] of Object.entries(clientTables)) {
  const path = join(import.meta.dirname, '..', file);
  if (!process.argv.includes('--check')) writeFileSync(path, code);
  else if (unformatted(readFileSync(path, 'utf8')) !== unformatted(code)) {
    console.error(`${file} is out of date: run \`npx --yes pnpm generate\``);
    process.exitCode = 1;
  }
}
