// Writes the client's tables of operations, and the parsers of their responses, from the core's records and the
// route table. The client imports neither, so the files are checked in.
import {
  buildOpenApi,
  type OpenApiDocument,
  type OpenApiOptions,
  optionalGroups,
  type Route,
  routes,
} from '../packages/h3/src/index.ts';

type Schema = OpenApiDocument['components']['schemas'][string];

/** As the linter sorts imports. */
const byName = (one: string, other: string) =>
  one.replace('type ', '').localeCompare(other.replace('type ', ''));

const refPrefix = '#/components/schemas/';

const nameOf = (schema: string) => schema.charAt(0).toLowerCase() + schema.slice(1);

/** A table as TypeScript, before it is formatted. */
function tableOf(name: string, rows: readonly Route[], document: OpenApiDocument): string {
  const { schemas } = document.components;
  /** By the names of their schemas. */
  const parsers = new Map<string, string>();
  /** The operation whose response a schema is. */
  const responses = new Map<string, string>();
  const used = new Set<string>();
  const uses = (parser: string) => {
    used.add(parser);
    return parser;
  };

  const entries = rows.map((row) => {
    const { operation, method, path, pathId, problems } = row;
    const named = pathId === undefined ? path : path.replace('{id}', `{${pathId}}`);
    const parts = [`${method} ${named}`, ...problems].map((part) => `'${part}'`);
    const [route, ...types] = parts;
    return `${operation}: operation(${[route, answerOf(row), ...types].join(', ')}),`;
  });
  const keyed = rows.filter(({ idempotencyKey }) => idempotencyKey === 'optional');
  const names = keyed.map(({ operation }) => `'${operation}'`).join(', ');
  return `// Written by \`pnpm generate\` from the core's records and the route table. Do not edit.
import type { AnswerOf } from './answers.ts';
import { operation } from './operation.ts';
import { ${[...used, 'type Parser'].sort(byName).join(', ')} } from './parse.ts';

${[...responses].map(([schema, of]) => `export type ${schema} = AnswerOf<'${of}'>;`).join('\n')}

${[...parsers]
  .map(([schema, code]) => {
    const type = responses.has(schema) ? `: Parser<${schema}>` : '';
    return `const ${nameOf(schema)}${type} = ${code};`;
  })
  .join('\n')}

/** The HTTP request, the response and the problems of each operation. */
export const ${name} = {\n${entries.join('\n')}\n};
${names === '' ? '' : `\n/** The operations whose key is optional. The client gives them one. */\nexport const optionallyKeyed: readonly string[] = [${names}];\n`}`;

  /** The name of the parser of an operation's response. */
  function answerOf({ operation, method, path, status }: Route): string {
    const found = document.paths[path]?.[method.toLowerCase()]?.responses[status];
    const schema =
      found !== undefined && 'content' in found
        ? found.content?.['application/json']?.schema
        : undefined;
    return schema === undefined ? uses('nothing') : parserOf(schema, operation);
  }

  /** @param operation the one whose response it is; without it, a part of a response. */
  function parserOf(schema: Schema | { readonly $ref: string }, operation?: string): string {
    const { $ref, type, anyOf, oneOf = anyOf, items, properties = {}, required } = schema as Parts; // cast: JSON Schema
    if ($ref !== undefined) return namedParser($ref.slice(refPrefix.length), operation);
    if (oneOf !== undefined) return anyOfParser(oneOf.map(resolved));
    if (type === 'array') return `${uses('list')}(${parserOf(items ?? {})})`;
    if (type === 'object') return objectParser(properties, required ?? []);
    return uses(type === 'boolean' ? 'flag' : type === 'string' ? 'text' : 'number');
  }

  function namedParser(schemaName: string, operation: string | undefined): string {
    const schema = schemas[schemaName] ?? {};
    const isObject = (schema as Parts).type === 'object'; // cast: as above
    if (!isObject) return parserOf(schema);
    if (operation !== undefined && !responses.has(schemaName)) responses.set(schemaName, operation);
    // A part is written before the whole, which refers to it.
    const code = parserOf(schema);
    parsers.set(schemaName, code);
    return nameOf(schemaName);
  }

  /** Members that each variant requires are required. */
  function anyOfParser(variants: readonly Parts[]): string {
    const plain = variants.filter(({ type }) => type !== 'null');
    const [only] = plain;
    if (only !== undefined && plain.length === 1) return parserOf(only as Schema); // cast: as above
    const all: Record<string, Schema> = Object.assign({}, ...plain.map((one) => one.properties));
    const always = Object.keys(all).filter((key) =>
      plain.every(({ required = [] }) => required.includes(key)),
    );
    return objectParser(all, always);
  }

  function objectParser(
    properties: Readonly<Record<string, Schema>>,
    required: readonly string[],
  ): string {
    const members = (isRequired: boolean) =>
      Object.entries(properties)
        .filter(([key]) => required.includes(key) === isRequired)
        .map(([key, schema]) => {
          const parser = parserOf(schema);
          return parser === key ? key : `${key}: ${parser}`;
        });
    const optional = members(false);
    const second = optional.length === 0 ? '' : `, { ${optional.join(', ')} }`;
    return `${uses('object')}({ ${members(true).join(', ')} }${second})`;
  }

  function resolved(schema: Schema): Parts {
    const { $ref } = schema as Parts; // cast: as above
    return ($ref === undefined ? schema : schemas[$ref.slice(refPrefix.length)]) as Parts; // cast: as above
  }
}

/** The parts of a JSON Schema that a response has. */
interface Parts {
  readonly $ref?: string;
  readonly type?: string;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

const codeOf = (name: string, options: OpenApiOptions) =>
  tableOf(name, options.routes ?? routes, buildOpenApi({ ...options, tips: true }));

export const clientTables: Readonly<Record<string, string>> = {
  'packages/client/src/operations.ts': codeOf('operations', {}),
  ...Object.fromEntries(
    Object.entries(optionalGroups).map(([name, group]) => [
      `packages/client/src/${name}.ts`,
      codeOf(`${name.replace(/s$/, '')}Operations`, group),
    ]),
  ),
};
