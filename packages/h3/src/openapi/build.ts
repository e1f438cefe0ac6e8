import type { ProblemType } from '@chairside/core';
import { defaultProblemBase } from '../addresses.ts';
import type { Route, Tag } from '../route.ts';
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
}

/** Builds the OpenAPI document from the route table and the schemas (D32). */
export function buildOpenApi({
  problemBase = defaultProblemBase,
  serverUrl = '/',
}: OpenApiOptions = {}): OpenApiDocument {
  const base = problemBase.replace(/\/$/, '');
  const failures = new Map<string, readonly [number, readonly ProblemType[]]>();
  for (const row of routes) {
    for (const [status, types] of problemsByStatus(row)) {
      failures.set(responseName(types), [status, types]);
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Chairside',
      version: '0.1.0',
      summary: 'In-person card payments',
      description,
      contact: { name: 'Chairside', url: defaultProblemBase },
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    servers: [{ url: serverUrl }],
    security: [{ bearer: [] }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths: pathsOf(routes),
    components: {
      schemas: {
        ...componentSchemas(),
        ...problemSchemas(
          [...failures.values()].map(([, types]) => types),
          base,
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
    },
  };
}

function pathsOf(rows: readonly Route[]): OpenApiDocument['paths'] {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const row of rows) {
    paths[row.path] = { ...paths[row.path], [row.method.toLowerCase()]: describeOperation(row) };
  }
  return paths;
}

const tags: Readonly<Record<Tag, string>> = {
  'Contactless payments': 'Card payments at the chair, for appointments.',
  Terminals: 'Devices that take cards.',
  'Payment methods': "Customers' payment methods, for later appointments.",
  Businesses: 'How businesses are paid out.',
  Barbers: "Barbers' schedules.",
  Authentication: 'How users can authenticate.',
};

const description = `
In-person (contactless) card payments for appointments, card terminals, and the setup of customers'
payment methods.

Bodies are JSON in UTF-8, at most 16 KiB and 32 levels deep; unknown properties
are rejected. Every error is a \`Problem\` (\`application/problem+json\`), including 404 for an
unknown path and 405 (with \`Allow\`) for an unknown method. Its \`recovery\` says whether the
request was applied, and whether to retry it.

A request that violates this document gets 400, with one nested problem for each fault
and its place in \`attributes.pointer\`. Every \`GET\` also has a \`HEAD\`.

An \`Idempotency-Key\` applies an operation once, even if the request is repeated. A key belongs to the
caller and to one request: the same key with another request gets 422.
`.trim();
