import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ProblemType, problemTypes } from '@chairside/core';
import { operations } from '@chairside/core/ports';
import { buildOpenApi, optionalGroups, routes } from '@chairside/h3';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { createContract } from '../src/contract.ts';

const problemBase = 'https://chairside.example';
/** The published interface, and the extension by routes that a host switches on. */
const documents = [
  {
    file: 'docs/openapi.json',
    document: buildOpenApi({ problemBase }),
    rows: routes,
    formats: { 'schemas.Count': 'int16', 'schemas.BarberReference.properties.experience': 'int32' },
    least: { properties: 150, constants: 40, examples: 100 },
  },
  {
    file: 'docs/openapi-refunds.json',
    document: buildOpenApi({ ...optionalGroups.refunds, problemBase }),
    rows: optionalGroups.refunds.routes,
    formats: { 'schemas.Count': 'int16' },
    least: { properties: 60, constants: 20, examples: 20 },
  },
  {
    file: 'docs/openapi-receipts.json',
    document: buildOpenApi({ ...optionalGroups.receipts, problemBase }),
    rows: optionalGroups.receipts.routes,
    formats: {},
    least: { properties: 30, constants: 15, examples: 10 },
  },
  {
    file: 'docs/openapi-charges.json',
    document: buildOpenApi({ ...optionalGroups.charges, problemBase }),
    rows: optionalGroups.charges.routes,
    formats: { 'schemas.Count': 'int16' },
    least: { properties: 60, constants: 20, examples: 20 },
  },
  {
    file: 'docs/openapi-tenders.json',
    document: buildOpenApi({ ...optionalGroups.tenders, problemBase }),
    rows: optionalGroups.tenders.routes,
    formats: { 'schemas.Count': 'int16' },
    least: { properties: 60, constants: 20, examples: 20 },
  },
  {
    file: 'docs/openapi-shares.json',
    document: buildOpenApi({ ...optionalGroups.shares, problemBase }),
    rows: optionalGroups.shares.routes,
    formats: { 'schemas.Count': 'int16' },
    least: { properties: 40, constants: 15, examples: 15 },
  },
] as const;

/** The same where the host takes tips. No file has them. */
const withTips = [
  { ...documents[0], file: 'with tips', document: buildOpenApi({ problemBase, tips: true }) },
  {
    ...documents[1],
    file: 'of refunds with tips',
    document: buildOpenApi({ ...optionalGroups.refunds, problemBase, tips: true }),
  },
];

const describedSchema = v.object({
  description: v.optional(v.string()),
  examples: v.optional(v.array(v.unknown())),
  properties: v.optional(v.record(v.string(), v.unknown())),
  allOf: v.optional(v.array(v.unknown())),
});

function collect(value: unknown, found: Record<string, unknown>[] = []): Record<string, unknown>[] {
  if (typeof value !== 'object' || value === null) return found;
  // cast: an object has members of any type
  if (!Array.isArray(value)) found.push(value as Record<string, unknown>);
  for (const member of Object.values(value)) collect(member, found);
  return found;
}

describe.each([...documents, ...withTips])(
  'the OpenAPI document $file',
  ({ file, document, rows, formats, least }) => {
    const contract = createContract(document);
    const isWithTips = withTips.some((one) => one.document === document);
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
    );

    it.skipIf(isWithTips)('equals the file', () => {
      const path = join(import.meta.dirname, '../../../..', file);
      expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(document);
    });

    it('has a version and a server (D32)', () => {
      expect(document).toMatchObject({ openapi: '3.1.0', info: { version: '0.1.0' } });
      const served = buildOpenApi({
        problemBase: 'https://a.example/',
        serverUrl: 'https://b.example',
      });
      expect(served.servers).toEqual([{ url: 'https://b.example' }]);
      expect(JSON.stringify(served)).toContain('"const":"https://a.example/problems/notFound"');
    });

    it('names the formats of the interface’s integers', () => {
      const formatted = (value: unknown, path: readonly string[]): [string, unknown][] => {
        if (typeof value !== 'object' || value === null) return [];
        const own: [string, unknown][] =
          'type' in value && value.type === 'integer' && 'format' in value
            ? [[path.join('.'), value.format]]
            : [];
        const inner = Object.entries(value).flatMap(([key, one]) => formatted(one, [...path, key]));
        return [...own, ...inner];
      };
      expect(Object.fromEntries(formatted(document.components, []))).toEqual({
        ...formats,
        'schemas.RateLimit.properties.limit': 'uint64',
        'schemas.RateLimit.properties.remaining': 'uint64',
        'headers.Retry-After.schema': 'uint32',
        'headers.Retry-After-If-Delayed.schema': 'uint32',
      });
    });

    it('has a component for each reference, and a reference for each component', () => {
      const refs = new Set(
        collect(document).flatMap(({ $ref }) => ($ref === undefined ? [] : [$ref])),
      );
      const { securitySchemes: _bearer, ...components } = document.components;
      const parts = Object.entries(components).flatMap(([section, members]) =>
        Object.keys(members).map((name) => `#/components/${section}/${name}`),
      );
      expect([...refs].sort()).toEqual(parts.sort());
      const inline = described.flatMap(({ requestBody, responses }) =>
        collect([requestBody, responses]).filter(({ schema }) => schema !== undefined),
      );
      for (const { schema } of inline) expect(schema).toHaveProperty('$ref');
    });

    it.each(rows)('$operation has every problem of its row, with its type', (row) => {
      const named = (types: readonly string[]) =>
        types.filter((type) => row.problems.some((own) => own === type)).sort();
      const responses =
        described.find(({ operationId }) => operationId === row.operation)?.responses ?? {};
      const found = Object.entries(responses).flatMap(([status, response]) => {
        const name = '$ref' in response ? (response.$ref.split('/').at(-1) ?? '') : '';
        const content = document.components.responses[name]?.content?.['application/problem+json'];
        const types = Object.keys(content?.examples ?? {}).filter(isProblemType);
        for (const type of types) expect(problemTypes[type].status).toBe(Number(status));
        return types;
      });
      const own = row.problems.filter((type) => type !== 'tipTooHigh' || isWithTips);
      expect(named(found)).toEqual([...own].sort());
      expect(found).toEqual(
        expect.arrayContaining(['unauthorized', 'tooManyRequests', 'internalError']),
      );
    });

    it('describes every schema and every property, with an example that is valid', () => {
      const { schemas, parameters, headers } = document.components;
      const ajv = new Ajv2020({
        strict: false,
        formats: { ...fullFormats, int16: true, int32: true, uint32: true, uint64: true },
      });
      ajv.addSchema({ $id: 'openapi', ...document }, undefined, undefined, false);
      const lacking: string[] = [];
      let properties = 0;
      const check = (place: string, schema: unknown) => {
        const { description, examples } = v.parse(describedSchema, schema);
        const [example] = examples ?? [];
        if (description === undefined || example === undefined) lacking.push(place);
        else if (!ajv.validate({ $ref: `openapi#${place}` }, example))
          lacking.push(`${place} wrong`);
      };
      for (const [name, schema] of Object.entries(schemas)) {
        const place = `/components/schemas/${name}`;
        check(place, schema);
        const { allOf = [] } = v.parse(describedSchema, schema);
        for (const [own, at] of [
          [schema, place],
          ...allOf.map((one, i) => [one, `${place}/allOf/${i}`]),
        ] as const) {
          for (const [property, inner] of Object.entries(
            v.parse(describedSchema, own).properties ?? {},
          )) {
            properties += 1;
            check(`${at}/properties/${property}`, inner);
          }
        }
      }
      for (const described of [...Object.values(parameters), ...Object.values(headers)]) {
        if (described.description === '' || described.example === undefined)
          lacking.push('a header');
      }
      expect(lacking).toEqual([]);
      expect(properties).toBeGreaterThan(least.properties);
    });

    it('gives every constant a type, and every problem a recovery', () => {
      const constants = collect(document.components).filter((one) => 'const' in one);
      expect(constants.length).toBeGreaterThan(least.constants);
      expect(constants.filter((one) => !('type' in one))).toEqual([]);
      for (const type of Object.keys(problemTypes)) {
        const schema = document.components.schemas[`${capitalized(type)}Problem`];
        if (schema === undefined) continue; // a 405 has no operation
        expect(schema).toMatchObject({
          allOf: [{}, { required: ['type', 'status', 'recovery'], properties: { recovery: {} } }],
        });
        expect(JSON.stringify(schema)).not.toContain('additionalProperties');
      }
    });

    it('lists its tags in the order of its paths', () => {
      const used = [...new Set(described.flatMap(({ tags }) => tags))];
      expect(document.tags.map(({ name }) => name)).toEqual(used);
    });

    it('has examples that are valid', () => {
      let count = 0;
      for (const { operationId, requestBody, responses } of described) {
        const [body] = Object.values(requestBody?.content['application/json']?.examples ?? {});
        const key = 'key';
        expect(contract.requestFaults({ operation: operationId, key, body: body?.value })).toEqual(
          [],
        );
        for (const [status, response] of Object.entries(responses)) {
          const name = '$ref' in response ? (response.$ref.split('/').at(-1) ?? '') : '';
          const { content = {} } =
            '$ref' in response ? (document.components.responses[name] ?? {}) : response;
          for (const [type, { examples = {} }] of Object.entries(content)) {
            for (const { value } of Object.values(examples)) {
              count += 1;
              const headers = new Headers({ 'content-type': type });
              const answer = { status: Number(status), headers, text: JSON.stringify(value) };
              const faults = contract.answerFaults(operationId, answer);
              expect(faults.filter((fault) => !fault.startsWith('header'))).toEqual([]);
            }
          }
        }
      }
      expect(count).toBeGreaterThan(least.examples);
    });
  },
);

it('the published document has the methods, paths and statuses of the interface', () => {
  const text = readFileSync(join(import.meta.dirname, '../../../../docs/interface.md'), 'utf8');
  const row = /^\|.*?(GET|POST|DELETE) `([^`]+)` +\|.*?\| (2\d\d)\b/gm;
  const published = [...text.matchAll(row)].map(([, ...cells]) => cells.join(' '));
  const served = documents[0].rows.map(({ method, path, status }) => `${method} ${path} ${status}`);
  expect(served.toSorted()).toEqual(published.toSorted());
});

it('the OpenAPI documents without tips have every operation, and share none (D141)', () => {
  const described = documents.flatMap(({ rows }) => rows.map(({ operation }) => operation));
  const all = Object.entries(operations).flatMap(([name, one]) => ('group' in one ? [name] : []));
  expect(described.sort()).toEqual(all.sort());
});

it('only receipts show tenders beside their own document (D202, D203)', () => {
  const own = ['docs/openapi-tenders.json', 'docs/openapi-receipts.json'];
  const others = documents.filter(({ file }) => !own.includes(file));
  expect(JSON.stringify(others)).not.toMatch(/tender/i);
});

it('the other documents have no trace of shares (D208)', () => {
  const others = documents.filter(({ file }) => file !== 'docs/openapi-shares.json');
  expect(JSON.stringify(others.map(({ document }) => document))).not.toMatch(
    /\bshares?\b|sharing|alsoPays/i,
  );
});

it.each(documents)('$file has no trace of tips (D48)', ({ document }) => {
  expect(JSON.stringify(document)).not.toMatch(/\btips?\b|tipped|tipTooHigh/i);
});

describe('the contract', () => {
  const contract = createContract(buildOpenApi({ problemBase }));
  const text = JSON.stringify({ clientSecret: 'x' });
  const headers = {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-type': 'application/json',
    'x-request-id': 'r',
    ratelimit: '"reads";r=1;t=60',
    date: 'x',
  };
  const operation = 'createTerminalConnectionToken';
  const faultsOf = (over: { headers?: object; text?: string; status?: number }) =>
    contract.faults(
      { operation },
      { status: 201, text, ...over, headers: new Headers({ ...headers, ...over.headers }) },
    );

  it('finds the faults of a response', () => {
    expect(faultsOf({})).toEqual([]);
    const expectFault = (over: Parameters<typeof faultsOf>[0], fault: RegExp) =>
      expect(faultsOf(over).join()).toMatch(fault);
    expectFault({ status: 200 }, /200 is not documented/);
    expectFault({ text: '{}' }, /must have required property 'clientSecret'/);
    expectFault({ headers: { 'content-type': 'text/plain' } }, /content type text\/plain/);
    expectFault({ headers: { 'cache-control': 'private' } }, /Cache-Control must be equal/);
    expectFault({ headers: { ratelimit: '5' } }, /RateLimit must match pattern/);
    expectFault({ headers: { 'x-powered-by': 'y' } }, /x-powered-by is not documented/);
    expectFault({ status: 204 }, /204 is not documented/);
  });

  it('finds the faults of a request, and of its status', () => {
    const create = 'createContactlessPayment';
    const faults = (request: object) => contract.requestFaults({ operation: create, ...request });
    expect(faults({ key: 'k' })).toEqual([]);
    expect(faults({ key: 'k', body: {} })).toEqual([]);
    expect(faults({})).toEqual(['Idempotency-Key is missing']);
    expect(faults({ key: ' ' })).not.toEqual([]);
    expect(faults({ key: 'x'.repeat(256) })).toHaveLength(1);
    expect(faults({ key: 'k', body: { amount: '1' } })).toHaveLength(1);
    expect(faults({ key: 'k', body: { amount: '1.00', x: 1 } })).toHaveLength(1);
    expect(contract.requestFaults({ operation: 'getTerminal', body: {} })).toHaveLength(1);
    const query = { phoneNumber: 'no phone' };
    expect(contract.requestFaults({ operation: 'listChallengeMethods', query })).toHaveLength(1);

    const judged = (status: number, request: object) =>
      contract
        .faults({ operation: create, ...request }, { status, headers: new Headers(), text: '{}' })
        .join();
    expect(judged(409, {})).toContain('let in: Idempotency-Key is missing');
    expect(judged(400, { key: 'k' })).toContain('refused a request that the document allows');
    expect(judged(401, {})).not.toMatch(/let in|refused/);
  });
});

const capitalized = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);

function isProblemType(name: string): name is ProblemType {
  return Object.hasOwn(problemTypes, name);
}

type Versions = Readonly<Record<string, string>>;
interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly dependencies?: Versions;
  readonly peerDependencies?: Versions;
  readonly devDependencies?: Versions;
}

const root = join(import.meta.dirname, '../../../..');
const manifests = globSync('packages/{*,proof/*}/package.json', { cwd: root })
  .map((path): Manifest => JSON.parse(readFileSync(join(root, path), 'utf8')))
  .filter((manifest) => manifest.private !== true);

/** The packages whose objects a host passes in or receives. */
const ofHosts = ['@opentelemetry/api', 'better-sqlite3', 'h3', 'neverthrow', 'pg', 'stripe'];

/** The other packages pass this peer of the core on, and import the core's names. */
const isPassedOn = (peer: string, by: string) => peer === 'neverthrow' && by !== '@chairside/core';

describe.each(manifests)('$name', ({ name: own, dependencies = {}, ...manifest }) => {
  const { peerDependencies = {}, devDependencies = {} } = manifest;

  it('waits for no release of ours to receive a security patch (D133)', () => {
    const exact = Object.entries(dependencies).filter(([, range]) => /^\d/.test(range));
    expect(exact).toEqual([]);
  });

  it("uses the host's copy of what a host passes in (D133)", () => {
    for (const name of ofHosts) expect(dependencies).not.toHaveProperty([name]);
  });

  it('is tested at both ends of the ranges of its peers (D133)', () => {
    for (const [name, range] of Object.entries(peerDependencies)) {
      if (isPassedOn(name, own)) continue;
      const lowest = devDependencies[`${name}-lowest`]?.replace(/.*@/, '');
      const [, from] = /^>=([\d.]+) /.exec(range) ?? [];
      if (lowest !== undefined) expect(lowest, name).toBe(from);
      else if (ofHosts.includes(name)) expect([devDependencies[name], undefined]).toContain(from);
    }
  });
});
