import { type ClientOperation, type ProblemType, problemTypes, type Reason } from '@chairside/core';
import {
  badRequest,
  type Fault,
  fault,
  fieldFault,
  internalError,
  problemGuide,
  problemShapes,
  reasons,
  retryLater,
  toProblem,
  unavailable,
} from '@chairside/core/ports';
import type { Route } from '../route.ts';
import { capitalized, type Response, refTo, type Schema } from './document.ts';
import { problemHeaders } from './headers.ts';

/** Problems of all operations, from the transport or from the core. */
const always: readonly ProblemType[] = [
  'badRequest',
  'unauthorized',
  'requestTimeout',
  'contentTooLarge',
  'tooManyRequests',
  'headersTooLarge',
  'internalError',
  'serviceUnavailable',
];

export function problemsByStatus({ problems, body }: Route): Map<number, ProblemType[]> {
  const types = new Set([
    ...always,
    ...problems,
    ...(body === undefined ? [] : ['unsupportedMediaType' as const]),
  ]);
  // In the order of the table of all problems, so that equal sets of problems share one response.
  const sorted = allTypes.filter((type) => types.has(type));
  return Map.groupBy(sorted, (type) => problemTypes[type].status);
}

// cast: the keys of an object that has exactly these
const allTypes = Object.keys(problemTypes) as ProblemType[];

/** The names of the choices among several problems of one status. */
const choiceNames: Readonly<Record<string, string>> = {
  'forbidden contactlessPaymentEntitlementMissing': 'TerminalForbidden',
  'conflict appointmentAlreadyPaid': 'CreateConflict',
  'conflict contactlessPaymentCanceled contactlessPaymentDeclined': 'CaptureConflict',
  'unprocessableEntity paymentProviderNotSetup': 'ChargeUnprocessable',
  'unprocessableEntity paymentProviderNotSetup tipTooHigh': 'TipUnprocessable',
  'unprocessableEntity contactlessPaymentDeviceUnsupported': 'DeviceUnprocessable',
};

/** The name of the response for these problems. Throws for a choice without a name above. */
export function responseName(types: readonly ProblemType[]): string {
  const [only, ...others] = types;
  if (only !== undefined && others.length === 0) return capitalized(only);
  const name = choiceNames[types.join(' ')];
  if (name === undefined) throw new Error(`the problems ${types.join(', ')} need a name`);
  return name;
}

const texts = problemShapes.Problem.properties;

const schemaName = (types: readonly ProblemType[]) => `${responseName(types)}Problem`;
const ref = (types: readonly ProblemType[]) => refTo('schemas', schemaName(types));

export function problemResponse(
  status: number,
  types: readonly ProblemType[],
  problemBase: string,
): Response {
  return {
    description: `${types.map((type) => `\`${type}\`: ${problemTypes[type].title}`).join('. ')}.`,
    headers: problemHeaders(status, types),
    content: {
      'application/problem+json': {
        schema: ref(types),
        examples: Object.fromEntries(
          types.map((type) => [type, { value: exampleProblem(type, problemBase) }]),
        ),
      },
    },
  };
}

/** A schema for each problem, and for each set of alternatives. */
export function problemSchemas(
  choices: Iterable<readonly ProblemType[]>,
  problemBase: string,
  rows: readonly Route[],
): Record<string, Schema> {
  const schemas: Record<string, Schema> = {};
  for (const types of choices) {
    for (const type of types) schemas[schemaName([type])] = problemSchema(type, problemBase, rows);
    if (types.length > 1) schemas[schemaName(types)] = choiceSchema(types, problemBase);
  }
  return schemas;
}

function problemSchema(type: ProblemType, problemBase: string, rows: readonly Route[]): Schema {
  const { status, title } = problemTypes[type];
  const { when, precedesLookUp } = problemGuide[type];
  const underKey = precedesLookUp ? ' With an `Idempotency-Key` its `outcome` is `unknown`.' : '';
  return {
    description: `${title}. ${when}${underKey}`,
    examples: [exampleProblem(type, problemBase)],
    allOf: [
      refTo('schemas', 'Problem'),
      {
        type: 'object',
        required: ['type', 'status', 'recovery'],
        properties: {
          type: {
            type: 'string',
            const: uriOf(type, problemBase),
            description: texts['type'],
            examples: [uriOf(type, problemBase)],
          },
          status: {
            type: 'integer',
            const: status,
            description: texts['status'],
            examples: [status],
          },
          recovery: {
            ...refTo('schemas', 'Recovery'),
            description: texts['recovery'],
            examples: [exampleProblem(type, problemBase).recovery],
          },
          ...attributesOf(type, rows),
        },
      },
    ],
  };
}

/** Operations whose own reasons no other document shows. */
const optional: readonly ClientOperation[] = [
  'chargePaymentMethod',
  'recordTender',
  'returnTender',
  'voidTender',
  'sharePayment',
];

function attributesOf(
  type: ProblemType,
  served: readonly Route[],
): { readonly attributes?: Schema } {
  // Reasons of charges or tenders alone are in documents that have them (D49, D202).
  const absent: readonly string[] = optional.filter(
    (name) => !served.some(({ operation }) => operation === name),
  );
  const rows = Object.entries<Reason>(reasonsOf(type)).filter(([, { operations }]) =>
    operations.some((name) => !absent.includes(name)),
  );
  if (rows.length === 0) return {};
  const description = rows.map(([name, { when }]) => `\`${name}\`: ${when}`).join(' ');
  const names = rows.map(([name]) => name);
  const reason = { type: 'string', enum: names, description, examples: names.slice(0, 1) };
  return {
    attributes: {
      type: 'object',
      properties: { reason },
      description: 'More members for programs. `reason` tells cases apart.',
      examples: [{ reason: names[0] }],
    },
  };
}

const reasonsOf = (type: ProblemType) => (isKeyOf(reasons, type) ? reasons[type] : {});

function isKeyOf<T extends object>(table: T, name: PropertyKey): name is keyof T {
  return Object.hasOwn(table, name);
}

function choiceSchema(types: readonly ProblemType[], problemBase: string): Schema {
  return {
    description: `One of the problems ${types.join(', ')}.`,
    examples: types.slice(0, 1).map((type) => exampleProblem(type, problemBase)),
    oneOf: types.map((type) => ref([type])),
    discriminator: {
      propertyName: 'type',
      mapping: Object.fromEntries(
        types.map((type) => [uriOf(type, problemBase), ref([type]).$ref]),
      ),
    },
  };
}

const uriOf = (type: ProblemType, problemBase: string) => `${problemBase}/problems/${type}`;

/** The specifics of some example problems. The core builds the rest as it does for real ones. */
const exampleFaults: { readonly [T in ProblemType]?: Fault } = {
  badRequest: badRequest([fieldFault('/amount', '/amount must be an exact decimal.')]),
  unauthorized: fault('unauthorized', 'The access token is invalid or has expired.', {
    recovery: { outcome: 'notApplied', retry: 'retrySameRequest', sessionAction: 'refresh' },
  }),
  tooManyRequests: fault('tooManyRequests', 'At most 60 such calls in 60 s.', {
    recovery: {
      ...retryLater,
      rateLimit: { limit: 60, remaining: 0, resetsAt: '2026-11-20T09:30:42.000Z' },
    },
  }),
  requestTimeout: fault('requestTimeout', 'The request did not arrive in time.', {
    recovery: retryLater,
  }),
  internalError: internalError(),
  serviceUnavailable: unavailable('The payment processor does not respond.', 'unknown'),
};

function exampleProblem(type: ProblemType, problemBase: string) {
  let ids = 0;
  const newId = () => {
    ids += 1;
    return `prb_01jd3zk8q0e5v9h2m7x4r6t1b${ids}`;
  };
  const made = exampleFaults[type] ?? fault(type, `${problemTypes[type].title}.`);
  const problem = toProblem(made, {
    newId,
    at: Date.UTC(2026, 10, 20, 9, 30),
    instance: 'https://api.shop.example/terminals#req_1',
  });
  const { problems } = problem;
  const named = <P extends { readonly type: ProblemType }>(one: P) => ({
    ...one,
    type: uriOf(one.type, problemBase),
  });
  return { ...named(problem), ...(problems !== undefined && { problems: problems.map(named) }) };
}
