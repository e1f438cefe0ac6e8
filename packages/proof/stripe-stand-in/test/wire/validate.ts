import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Exchange } from '@chairside/stripe-stand-in';
import { Ajv, type ValidateFunction } from 'ajv';
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

type Form = Extract<Exchange, { kind: 'request' }>['params'];

const { roots, definitions } = await loadSchemas();
// Optimizing the code of such large schemas takes more than half of the time that compiling takes.
const shared = {
  strict: false,
  code: { optimize: false },
  schemas: [{ $id: 'sdk', definitions }],
};
// A form holds text, which becomes numbers and booleans again here.
const requests = new Ajv({ ...shared, coerceTypes: true });
const replies = new Ajv(shared);
const compiled = new Map<string, ValidateFunction>();

/** The fault of an exchange; `undefined` if it matches the SDK's declarations. */
export function faultOf(exchange: Exchange): string | undefined {
  switch (exchange.kind) {
    case 'request':
      return check(`request/${exchange.route}`, unfold(exchange.params), requests);
    case 'reply':
      return exchange.status === 200
        ? check(`reply/${exchange.route}`, exchange.body)
        : check('failure', exchange.body);
    case 'event': {
      const { event } = exchange;
      return check('event', event) ?? check(`told/${event.data.object.object}`, event.data.object);
    }
  }
}

function check(root: string, value: unknown, ajv = replies): string | undefined {
  const validate = compiled.get(root) ?? compile(root, ajv);
  if (validate(value)) return undefined;
  const [fault] = validate.errors ?? [];
  return `${root}${fault?.instancePath ?? ''} ${fault?.message} ${JSON.stringify(fault?.params)}`;
}

function compile(root: string, ajv: Ajv): ValidateFunction {
  const schema = roots[root];
  if (schema === undefined) throw new Error(`the SDK's types name no ${root}`);
  const local = JSON.stringify(schema).replaceAll('"#/definitions/', '"sdk#/definitions/');
  const validate = ajv.compile(JSON.parse(local));
  compiled.set(root, validate);
  return validate;
}

/** Arrays are written as `expand[0]`: names that are numbers. */
function unfold(form: Form[string]): unknown {
  if (typeof form === 'string') return form;
  const entries = Object.entries(form);
  const isArray = entries.length > 0 && entries.every(([name]) => /^\d+$/.test(name));
  return isArray
    ? entries.map(([, value]) => unfold(value))
    : Object.fromEntries(entries.map(([name, value]) => [name, unfold(value)]));
}
