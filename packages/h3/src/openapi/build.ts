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
  /** The handler's `problemBase`, and the same default. */
  readonly problemBase?: string | undefined;
  /** Where the operations are found. Default: where the document is. */
  readonly serverUrl?: string;
}

/** The OpenAPI document of the interface, made from the route table and the schemas (D32). */
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
      contact: { name: 'Chairside' },
      license: { name: 'MIT', identifier: 'MIT' },
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
  Authentication: 'How users can prove who they are.',
};

const description = `
In-person (contactless) card payments for appointments, card terminals, and the setup of customers'
payment methods.

Bodies are JSON in UTF-8, at most 16 KiB and 32 levels deep; a property that is not named here is
refused. Every error is a \`Problem\` (\`application/problem+json\`), a method that a path does not
have (405, with \`Allow\`) and an unknown path (404) included. Its \`recovery\` says what became of
the request, and whether to send it again.

A request that this document does not allow is answered 400, with one nested problem for each fault
and its place in \`attributes.pointer\`. Where a path has \`GET\`, it has \`HEAD\`.

An \`Idempotency-Key\` makes an operation happen once, however often it is sent. A key belongs to the
caller, and to one request: the same key with another request is 422.
`.trim();
