import type {
  Chairside,
  CommonProblem,
  LimitedOperation,
  ProblemType,
  ResultAsync,
  Unvalidated,
} from '@chairside/core';
import type { GenericSchema, InferInput } from 'valibot';

/** The operations that belong together, in the OpenAPI document. */
export type Tag =
  | 'Contactless payments'
  | 'Terminals'
  | 'Payment methods'
  | 'Businesses'
  | 'Barbers'
  | 'Authentication';

/** The operations that can be called over HTTP: those that a quota counts (D31). */
export type RoutedOperation = Extract<LimitedOperation, keyof Chairside>;

/** One operation over HTTP: a row of the route table. */
export interface Route {
  readonly operation: RoutedOperation;
  readonly summary: string;
  /** What the OpenAPI document says beyond the summary. */
  readonly description: string;
  readonly tag: Tag;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** What stands for a `{name}` goes into the operation's input, decoded, under that name. */
  readonly path: `/${string}`;
  /** What the operation's input calls the path's `{id}`, if something else. */
  readonly pathId?: string;
  /** Query parameters, by name; they go into the input as `query`. */
  readonly query?: Readonly<Record<string, GenericSchema>>;
  /** Whether the header is one of the operation's, and then whether it must be there. */
  readonly idempotencyKey?: 'required' | 'optional';
  /** Without it, a request that has a body is refused. */
  readonly body?: { readonly schema: GenericSchema; readonly required: boolean };
  readonly success: {
    readonly status: 200 | 201 | 204;
    readonly schema?: GenericSchema;
    /** Where the created resource is found: `{id}` stands for the answer's `id`. */
    readonly location?: `/${string}{id}`;
  };
  /** The operation's own problems, beside those that every operation has. */
  readonly problems: readonly ProblemType[];
}

/** Takes a row as it is, if it fits its operation: the compiler compares it with the core's types. */
export function route<const R extends Route>(row: R & Fits<R>): Route {
  return row;
}

interface Fits<R extends Route> {
  readonly operation: Given<R> extends Taken<R> ? R['operation'] : 'the input lacks something';
  readonly success: Answered<R> extends Shown<R> ? R['success'] : 'the schema shows another answer';
  readonly problems: Own<R> extends R['problems'][number]
    ? readonly Own<R>[]
    : 'the operation has more problems';
}

type UseCase<R extends Route> = Chairside[R['operation']];
type Taken<R extends Route> =
  Parameters<UseCase<R>> extends readonly [unknown, infer Input] ? Input : unknown;
type Answered<R extends Route> =
  ReturnType<UseCase<R>> extends ResultAsync<infer T, unknown> ? T : never;
type Failed<R extends Route> =
  ReturnType<UseCase<R>> extends ResultAsync<unknown, { readonly type: infer T }> ? T : never;
type Own<R extends Route> = Exclude<Failed<R>, CommonProblem>;
type Shown<R extends Route> = R['success'] extends {
  readonly schema: infer S extends GenericSchema;
}
  ? InferInput<S>
  : unknown;

type Given<R extends Route> = PathInput<R['path'], IdName<R>> &
  QueryInput<R> &
  KeyInput<R> &
  BodyInput<R>;

type IdName<R extends Route> = R extends { readonly pathId: infer N extends string } ? N : 'id';
type PathInput<
  P extends string,
  Id extends string,
> = P extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [N in Name extends 'id' ? Id : Name]: string } & PathInput<Rest, Id>
  : unknown;
type QueryInput<R extends Route> = R extends { readonly query: infer Q }
  ? { readonly query: { readonly [Name in keyof Q]?: string } }
  : unknown;
type KeyInput<R extends Route> = R extends { readonly idempotencyKey: infer K }
  ? Maybe<'idempotencyKey', string, K extends 'required' ? true : false>
  : unknown;
type BodyInput<R extends Route> = R extends { readonly body: { readonly required: infer Required } }
  ? Maybe<'body', Unvalidated, Required>
  : unknown;
type Maybe<Name extends string, T, Required> = Required extends true
  ? { readonly [N in Name]: T }
  : { readonly [N in Name]?: T };
