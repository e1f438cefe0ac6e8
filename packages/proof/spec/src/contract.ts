import { findReason } from '@chairside/core/ports';
import type { buildOpenApi } from '@chairside/h3';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';

type Document = ReturnType<typeof buildOpenApi>;
type Operation = NonNullable<Document['paths'][string][string]>;

/** A request in the document's terms: its body as JSON, its texts decoded. */
export interface SentRequest {
  readonly operation: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly key?: string | undefined;
  readonly body?: unknown;
}

/** The members of a problem that name its reason. */
interface ReasonedProblem {
  readonly type: string;
  readonly attributes?: { readonly reason?: string };
}

export interface GivenAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Compares requests and responses with the OpenAPI document. */
export interface Contract {
  /** The request's violations of the document. */
  requestFaults(request: SentRequest): string[];
  /** The response's violations of the document. */
  answerFaults(operation: string, answer: GivenAnswer): string[];
  /**
   * Both, and whether the service and the document agree on rejecting the request with 400 (D12).
   */
  faults(request: SentRequest, answer: GivenAnswer): string[];
}

/** Headers of HTTP itself. */
const transport = ['connection', 'content-length', 'content-type', 'date', 'keep-alive'].concat(
  'transfer-encoding',
);

/** Responses to valid requests (D11). */
const isAfterValidation = (status: number) => status < 300 || [403, 404, 409, 422].includes(status);

export function createContract(document: Document): Contract {
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    formats: { ...fullFormats, int16: true, uint32: true, uint64: true },
  });
  ajv.addSchema({ $id: 'openapi', ...document }, undefined, undefined, false);
  const operations = new Map(
    Object.values(document.paths)
      .flatMap((path) => Object.values(path))
      .map((operation) => [operation.operationId, operation]),
  );
  const compiled = new WeakMap<object, ValidateFunction>();
  return { requestFaults, answerFaults, faults };

  function faults(request: SentRequest, answer: GivenAnswer): string[] {
    const refused = requestFaults(request);
    const found = answerFaults(request.operation, answer);
    if (isAfterValidation(answer.status)) found.push(...refused.map((fault) => `let in: ${fault}`));
    if (answer.status === 400 && refused.length === 0 && !isBeyondSchemas(request)) {
      found.push('refused a request that the document allows');
    }
    return found;
  }

  function requestFaults({ operation, query = {}, key, body }: SentRequest): string[] {
    const { parameters, requestBody } = operationOf(operation);
    const found: string[] = [];
    for (const parameter of parameters.map((one) => resolve<Parameter>(one))) {
      const { name, required, schema } = parameter;
      // Invalid path ids are 404 and not 400 (D1).
      if (parameter.in === 'path') continue;
      const header = name === 'Idempotency-Key' ? key?.trim() : undefined;
      const given = parameter.in === 'query' ? query[name] : header;
      if (given !== undefined) found.push(...invalid(schema, given, name));
      else if (required) found.push(`${name} is missing`);
    }
    if (requestBody === undefined) {
      if (body !== undefined) found.push('there is a body');
    } else if (body !== undefined) {
      const { schema } = requestBody.content['application/json'] ?? {};
      found.push(...invalid(schema ?? {}, body, 'body'));
    } else if (requestBody.required) found.push('the body is missing');
    return found;
  }

  function answerFaults(operation: string, { status, headers, text }: GivenAnswer): string[] {
    const documented = operationOf(operation).responses[status];
    if (documented === undefined) return [`${status} is not documented`];
    const response = resolve<Response>(documented);
    const found = [
      ...headerFaults(response, headers),
      ...bodyFaults(response, headers.get('content-type'), text),
    ];
    return found.length > 0 || status < 400 ? found : reasonFaults(operation, JSON.parse(text));
  }

  /** The guide names the operations that return a reason. */
  function reasonFaults(operation: string, problem: ReasonedProblem): string[] {
    const type = problem.type.split('/').at(-1) ?? '';
    const row = findReason(type, problem.attributes?.reason);
    return row === undefined || row.operations.includes(operation)
      ? []
      : [`${operation} is no operation of ${type} ${problem.attributes?.reason}`];
  }

  function headerFaults(response: Response, headers: Headers): string[] {
    const found: string[] = [];
    const known = new Set(transport);
    for (const [name, documented] of Object.entries(response.headers)) {
      known.add(name.toLowerCase());
      const { required, schema } = resolve<Header>(documented);
      const value = headers.get(name);
      if (value === null) {
        if (required) found.push(`header ${name} is missing`);
      } else {
        const typed = schema['type'] === 'integer' ? Number(value) : value;
        found.push(...invalid(schema, typed, `header ${name}`));
      }
    }
    const others = [...headers.keys()].filter((name) => !known.has(name));
    return [...found, ...others.map((name) => `header ${name} is not documented`)];
  }

  function bodyFaults({ content }: Response, type: string | null, text: string): string[] {
    if (content === undefined) return text === '' && type === null ? [] : ['there is a body'];
    const media = content[type ?? ''];
    return media === undefined
      ? [`content type ${type} is not documented`]
      : invalid(media.schema, JSON.parse(text), 'body');
  }

  function operationOf(name: string): Operation {
    const operation = operations.get(name);
    if (operation === undefined) throw new Error(`${name} is not documented`);
    return operation;
  }

  function resolve<T extends object>(value: T | { readonly $ref: string }): T {
    if (!('$ref' in value)) return value;
    const [section, name] = value.$ref.split('/').slice(2);
    const components: Record<string, Record<string, unknown>> = document.components;
    // cast: the linters have checked that references lead to the right kind of component
    return components[section ?? '']?.[name ?? ''] as T;
  }

  function invalid(schema: object, value: unknown, place: string): string[] {
    let validate = compiled.get(schema);
    if (validate === undefined) {
      validate = ajv.compile('$ref' in schema ? { $ref: `openapi${schema.$ref}` } : schema);
      compiled.set(schema, validate);
    }
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) =>
        `${place}${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  }
}

type Resolved<T> = Exclude<T, { readonly $ref: string }>;
type Parameter = Resolved<Operation['parameters'][number]>;
type Response = Resolved<Operation['responses'][string]>;
type Header = Resolved<Response['headers'][string]>;

/** Rules that schemas cannot express: exactly one of two parameters, and valid Unicode. */
function isBeyondSchemas({ operation, query = {}, body }: SentRequest): boolean {
  if (operation === 'listChallengeMethods') {
    return 'phoneNumber' in query === 'emailAddress' in query;
  }
  return /\\ud[89a-f]/.test(JSON.stringify(body ?? ''));
}
