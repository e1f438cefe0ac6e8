import type { ProblemType } from '@chairside/core';
import { operationGroups } from '@chairside/core/ports';
import { defaultProblemBase } from '../addresses.ts';
import type { Route } from '../route.ts';
import { routes } from '../routes.ts';
import type { OpenApiDocument, Operation } from './document.ts';
import { headers } from './headers.ts';
import { describeOperation, parameters } from './operation.ts';
import { problemResponse, problemSchemas, problemsByStatus, responseName } from './problems.ts';
import { componentSchemas } from './schemas.ts';

export interface OpenApiOptions {
  /** The handler's `problemBase`, with the same default. */
  readonly problemBase?: string | undefined;
  /** The base URL of the operations. Default: the document's own. */
  readonly serverUrl?: string;
  /** The described operations. Default: `routes`, the published interface. */
  readonly routes?: readonly Route[];
  /** Describes the members of a service that takes tips too (D48). Default: false, without a trace of them. */
  readonly tips?: boolean;
  /** Describes the members of a service that has switched shares on too (D208). Default: false. */
  readonly shares?: boolean;
  /** The texts at the head of the document. Default: those of the published interface. */
  readonly about?: OpenApiAbout;
}

export interface OpenApiAbout {
  readonly title: string;
  readonly summary: string;
  /** The first paragraph of the description. The rules of all operations follow it. */
  readonly description: string;
}

const published: OpenApiAbout = {
  title: 'Chairside',
  summary: 'In-person card payments',
  description: `
In-person (contactless) card payments for appointments, card terminals, and the setup of customers'
payment methods.
`.trim(),
};

/** Builds the OpenAPI document from the route table and the schemas (D32). */
export function buildOpenApi({
  problemBase = defaultProblemBase,
  serverUrl = '/',
  routes: served = routes,
  tips = false,
  shares = false,
  about: { title, summary, description } = published,
}: OpenApiOptions = {}): OpenApiDocument {
  const rows = tips
    ? served
    : served.map((row) => ({
        ...row,
        problems: row.problems.filter((type) => type !== 'tipTooHigh'),
      }));
  const base = problemBase.replace(/\/$/, '');
  const failures = new Map<string, readonly [number, readonly ProblemType[]]>();
  for (const row of rows) {
    for (const [status, types] of problemsByStatus(row)) {
      failures.set(responseName(types), [status, types]);
    }
  }
  const paths = pathsOf(rows);
  return {
    openapi: '3.1.0',
    info: {
      title,
      version: '0.1.0',
      summary,
      description: `${description}\n\n${rules}`,
      contact: { name: 'Chairside', url: defaultProblemBase },
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    servers: [{ url: serverUrl }],
    security: [{ bearer: [] }],
    tags: tagsOf(rows),
    paths,
    components: usedComponents(paths, {
      schemas: {
        ...componentSchemas((option) => ({ tips, shares })[option]),
        ...problemSchemas(
          [...failures.values()].map(([, types]) => types),
          base,
          rows,
        ),
      },
      parameters,
      headers,
      responses: Object.fromEntries(
        [...failures].map(([name, [status, types]]) => [
          name,
          problemResponse(status, types, base),
        ]),
      ),
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'An access token of the service that embeds Chairside.',
        },
      },
    }),
  };
}

function tagsOf(rows: readonly Route[]): OpenApiDocument['tags'] {
  const used = new Set<string>(rows.map(({ group }) => group));
  return Object.entries(operationGroups)
    .filter(([name]) => used.has(name))
    .map(([name, description]) => ({ name, description }));
}

function pathsOf(rows: readonly Route[]): OpenApiDocument['paths'] {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const row of rows) {
    paths[row.path] = { ...paths[row.path], [row.method.toLowerCase()]: describeOperation(row) };
  }
  return paths;
}

const rules = `
Bodies are JSON in UTF-8, at most 16 KiB and 32 levels deep; unknown properties
are rejected. Every error is a \`Problem\` (\`application/problem+json\`), including 404 for an
unknown path and 405 (with \`Allow\`) for an unknown method. Its \`recovery\` says whether the
request was applied, and whether to retry it.

A request that violates this document gets 400, with one nested problem for each fault
and its place in \`attributes.pointer\`. So does text that is not well-formed Unicode (an unpaired surrogate, as in
\`"\\ud800"\`), and an object that has a member twice. Every \`GET\` also has a \`HEAD\`.

An \`Idempotency-Key\` applies an operation once, even if the request is repeated. A key belongs to the
caller and to one request: the same key with another request gets 422.
`.trim();

type Components = OpenApiDocument['components'];

/** Leaves out the components that no operation refers to, directly or through other components. */
function usedComponents(
  paths: OpenApiDocument['paths'],
  { securitySchemes, ...components }: Components,
): Components {
  const sections: Readonly<Record<string, Readonly<Record<string, unknown>>>> = components;
  const used = new Set<string>();
  collect(paths);

  function collect(value: unknown): void {
    for (const [, section = '', name = ''] of JSON.stringify(value).matchAll(references)) {
      if (used.has(`${section}/${name}`)) continue;
      used.add(`${section}/${name}`);
      collect(sections[section]?.[name] ?? {});
    }
  }

  const keep = <T>(section: string, members: Readonly<Record<string, T>>) =>
    Object.fromEntries(Object.entries(members).filter(([name]) => used.has(`${section}/${name}`)));
  return {
    schemas: keep('schemas', components.schemas),
    parameters: keep('parameters', components.parameters),
    headers: keep('headers', components.headers),
    responses: keep('responses', components.responses),
    securitySchemes,
  };
}

const references = /"\$ref":"#\/components\/(\w+)\/([^"]+)"/g;
