import type {
  Chairside,
  ClientOperation,
  CommonProblem,
  ProblemType,
  ResultAsync,
  Unvalidated,
} from '@chairside/core';
import type { GenericSchema, InferInput } from 'valibot';

/** The groups of operations in the OpenAPI document. */
export type Tag =
  | 'Contactless payments'
  | 'Refunds'
  | 'Terminals'
  | 'Payment methods'
  | 'Businesses'
  | 'Barbers'
  | 'Authentication';

/** The operations of the HTTP interface, which a quota counts (D31), and those a host may switch on. */
export type RoutedOperation = ClientOperation;

/** One operation over HTTP: a row of the route table. */
export interface Route {
  readonly operation: RoutedOperation;
  readonly summary: string;
  /** The OpenAPI description, in addition to the summary. */
  readonly description: string;
  readonly tag: Tag;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Each `{name}` becomes a decoded member of the operation's input with that name. */
  readonly path: `/${string}`;
  /** The input's name for the path's `{id}`, if it differs. */
  readonly pathId?: string;
  /** Query parameters, by name; they become the input's `query`. */
  readonly query?: Readonly<Record<string, GenericSchema>>;
  /** Whether the operation has this header, and whether it is required. */
  readonly idempotencyKey?: 'required' | 'optional';
  /** If omitted, a request with a body is rejected. */
  readonly body?: { readonly schema: GenericSchema; readonly required: boolean };
  readonly success: {
    readonly status: 200 | 201 | 204;
    readonly schema?: GenericSchema;
    /** The path of the created resource: each `{name}` stands for the response's member. */
    readonly location?: `/${string}{id}`;
  };
  /** The operation's own problems, in addition to those of all operations. */
  readonly problems: readonly ProblemType[];
}

/** Accepts a row that fits its operation: the compiler compares it with the core's types. */
export function route<const R extends Route>(row: R & Fits<R>): Route {
  return row;
}

interface Fits<R extends Route> {
  readonly operation: Given<R> extends Taken<R>
    ? R['operation']
    : 'the row lacks a member of the input';
  readonly success: Answered<R> extends Shown<R>
    ? R['success']
    : 'the schema differs from the result';
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
