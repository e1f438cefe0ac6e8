import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Stripe from 'stripe';
import type { Schemas } from './generate.ts';

const here = import.meta.dirname;
const standIn = join(here, '../../src');
const inputs = [
  ...['types.ts', 'generate.ts'].map((file) => join(here, file)),
  ...['calls.ts', 'event.ts'].map((file) => join(standIn, file)),
];

/** Generated once for each version of the SDK and of the files that name its types. */
function schemasPath(): string {
  const hash = createHash('sha256').update(Stripe.PACKAGE_VERSION);
  for (const file of inputs) hash.update(readFileSync(file));
  const folder = join(here, '../../node_modules/.cache/chairside');
  return join(folder, `stripe-${hash.digest('hex').slice(0, 16)}.json`);
}

export async function loadSchemas(): Promise<Schemas> {
  const path = schemasPath();
  if (!existsSync(path)) {
    // Loads a compiler, which takes longer than reading the schemas.
    const { generateSchemas } = await import('./generate.ts');
    mkdirSync(join(path, '..'), { recursive: true });
    const own = `${path}.${process.pid}`;
    writeFileSync(own, JSON.stringify(generateSchemas(join(here, 'types.ts'))));
    renameSync(own, path);
  }
  return JSON.parse(readFileSync(path, 'utf8'));
}
