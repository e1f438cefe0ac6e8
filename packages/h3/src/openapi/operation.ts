import { sharedShapes } from '@chairside/core/ports';
import type { GenericSchema } from 'valibot';
import type { Route } from '../route.ts';
import {
  type Media,
  type Operation,
  type Parameter,
  type Ref,
  type Response,
  refTo,
} from './document.ts';
import { successHeaders } from './headers.ts';
import { problemsByStatus, responseName } from './problems.ts';
import { exampleOf, schemaRef } from './schemas.ts';

const keyHeader = {
  name: 'Idempotency-Key',
  in: 'header',
  schema: refTo('schemas', 'IdempotencyKey'),
  example: sharedShapes.IdempotencyKey.example,
} as const;

export const parameters = {
  IdempotencyKey: {
    ...keyHeader,
    required: true,
    description: 'Required. The same key with the same request means the same operation.',
  },
  OptionalIdempotencyKey: {
    ...keyHeader,
    required: false,
    description: 'The same key with the same request means the same operation.',
  },
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    required: false,
    description:
      'A request id for logs: 1 to 128 letters, digits, `.`, `_` and `-`. Other values are replaced.',
    schema: { type: 'string' },
    example: 'till-3_8241',
  },
} as const satisfies Record<string, Parameter>;

export function describeOperation(row: Route): Operation {
  const { operation, summary, description, group, body, status } = row;
  return {
    operationId: operation,
    summary,
    description,
    tags: [group],
    parameters: parametersOf(row),
    ...(body !== undefined && {
      requestBody: {
        required: body.required,
        content: { 'application/json': media(body.schema) },
      },
    }),
    responses: {
      [status]: successResponse(row),
      ...Object.fromEntries(
        [...problemsByStatus(row)].map(([failed, types]) => [
          failed,
          refTo('responses', responseName(types)),
        ]),
      ),
    },
  };
}

function parametersOf({ path, pathId, query = {}, idempotencyKey }: Route): (Parameter | Ref)[] {
  return [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => pathParameter(name, pathId)),
    ...Object.entries(query).map(([name, schema]) => queryParameter(name, schema)),
    ...(idempotencyKey === undefined ? [] : [refTo('parameters', keyParameters[idempotencyKey])]),
    refTo('parameters', 'RequestId'),
  ];
}

const keyParameters = { required: 'IdempotencyKey', optional: 'OptionalIdempotencyKey' } as const;

/** `{id}` is described by its name in the operation's input, such as `businessId`. */
function pathParameter(name: string, pathId = 'id'): Parameter {
  const of = (name === 'id' ? pathId : name).replace(/Id$/, '');
  return {
    name,
    in: 'path',
    required: true,
    description: `The id of the ${words(of)}. A longer one gets 404.`,
    schema: refTo('schemas', 'ResourceId'),
    example: `${of}_1`,
  };
}

function queryParameter(name: string, schema: GenericSchema): Parameter {
  return {
    name,
    in: 'query',
    required: false,
    description: `The user's ${words(name)}.`,
    schema: schemaRef(schema),
    example: exampleOf(schema),
  };
}

function words(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function successResponse(row: Route): Response {
  const { status, output, example } = row;
  const headers = successHeaders(row);
  if (output === undefined) return { description: 'Success, without a body.', headers };
  return {
    description: status === 201 ? 'Created.' : 'Success.',
    headers,
    content: { 'application/json': media(output, example) },
  };
}

function media(schema: GenericSchema, value = exampleOf(schema)): Media {
  return { schema: schemaRef(schema), examples: { example: { value } } };
}
