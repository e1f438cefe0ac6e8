import {
  type Chairside,
  type ClientOperation,
  type OperationFacts,
  operations,
} from '@chairside/core';

/** HTTP's part of an operation. */
interface Row {
  readonly operation: ClientOperation;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Each `{name}` becomes a decoded member of the operation's input with that name. */
  readonly path: `/${string}`;
  /** The input's name for the path's `{id}`, if it differs. */
  readonly pathId?: string;
  readonly status: 200 | 201 | 204;
  /** The path of the created resource: each `{name}` stands for the response's member. */
  readonly location?: `/${string}{id}`;
}

/** One operation over HTTP: a row of the route table, with the record of its operation. */
export interface Route extends Row, OperationFacts {}

/** Joins a row to the record of its operation. The compiler compares the path with the input. */
export function route<const R extends Row>(row: R & Fits<R>): Route {
  return { ...operations[row.operation], ...row };
}

interface Fits<R extends Row> {
  readonly path: [keyof PathInput<R>, Ids<R>] extends [Ids<R>, keyof PathInput<R>]
    ? R['path']
    : "the path's ids differ from those of the input";
}

/** The ids in the input of an operation. */
type Ids<R extends Row> =
  Parameters<Chairside[R['operation']]> extends readonly [unknown, infer Input]
    ? Exclude<keyof Input, 'body' | 'query' | 'idempotencyKey'>
    : never;
type PathInput<R extends Row> = IdsIn<
  R['path'],
  R extends { readonly pathId: infer N extends string } ? N : 'id'
>;
type IdsIn<P extends string, Id extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [N in Name extends 'id' ? Id : Name]: string } & IdsIn<Rest, Id>
  : unknown;
