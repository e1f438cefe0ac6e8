import type { Chairside, ClientOperation } from '@chairside/core';
import { type OperationFacts, operations } from '@chairside/core/ports';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
type Path = `/${string}`;

interface Row {
  /** The input's name for the path's `{id}`, if it differs. */
  readonly pathId?: string;
  readonly status: 200 | 201 | 204;
  /** The path of the created resource: each `{name}` stands for the response's member. */
  readonly location?: `/${string}{id}`;
}

/** One operation over HTTP: a row of the route table, with the record of its operation. */
export interface Route extends Row, OperationFacts {
  readonly operation: ClientOperation;
  readonly method: Method;
  /** Each `{name}` becomes a decoded member of the operation's input with that name. */
  readonly path: Path;
}

/**
 * Joins method and path to the record of an operation. Without a given status it is 204 if the operation
 * has no result, else 200. The compiler compares the path with the input.
 */
export function route<
  const O extends ClientOperation,
  const At extends `${Method} ${Path}`,
  const Id extends string = 'id',
>(
  operation: O,
  at: At & Fits<O, At, Id>,
  row: Partial<Row> & { readonly pathId?: Id } = {},
): Route {
  const facts: OperationFacts = operations[operation];
  // cast: the text is made of these two
  const [method, path] = at.split(' ') as [Method, Path];
  return { ...facts, operation, method, path, status: facts.output ? 200 : 204, ...row };
}

type Fits<O extends ClientOperation, At extends string, Id extends string> = [
  keyof IdsIn<At, Id>,
  Ids<O>,
] extends [Ids<O>, keyof IdsIn<At, Id>]
  ? unknown
  : "the path's ids differ from those of the input";

/** The ids in the input of an operation. */
type Ids<O extends ClientOperation> =
  Parameters<Chairside[O]> extends readonly [unknown, infer Input]
    ? Exclude<keyof Input, 'body' | 'query' | 'idempotencyKey'>
    : never;
type IdsIn<P extends string, Id extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [N in Name extends 'id' ? Id : Name]: string } & IdsIn<Rest, Id>
  : unknown;
