import {
  type Caller,
  type Chairside,
  type ClientOperation,
  type Problem,
  type ResultAsync,
  Unvalidated,
} from '@chairside/core';
import { optionalGroups, type Route, routes } from '@chairside/h3';

/** The request of a spec, for either transport. */
export interface Request {
  readonly id?: string;
  /** The path's second id. */
  readonly id2?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly key?: string;
  readonly body?: unknown;
}

type Answered = ResultAsync<unknown, Problem>;

interface Operation {
  readonly method: Route['method'];
  /** `{id}` stands for the path's first id, `{id2}` for its second one. */
  readonly path: string;
  readonly success: number;
  readonly inProcess: (chairside: Chairside, caller: Caller, request: Request) => Answered;
}

export type SpecOperation = ClientOperation;

const idInPath = /\{(\w+)\}/g;
const places = ['id', 'id2'] as const;

/** How an operation is called in process and over HTTP. */
function specOf({ operation, method, path, pathId = 'id', status, ...row }: Route): Operation {
  const names = [...path.matchAll(idInPath)].map(([, name = '']) => name);
  return {
    method,
    path: names.reduce((all, name, place) => all.replace(`{${name}}`, `{${places[place]}}`), path),
    success: status,
    inProcess(chairside, caller, { key, body, query = {}, ...ids }) {
      const input = {
        ...Object.fromEntries(
          names.map((name, at) => [name === 'id' ? pathId : name, ids[places[at] ?? 'id'] ?? '']),
        ),
        ...(isSent(isRequired[row.idempotencyKey ?? 'none'], key) && { idempotencyKey: key ?? '' }),
        ...(isSent(row.body?.required, body) && { body: new Unvalidated(body) }),
        ...(row.query !== undefined && { query }),
      };
      // cast: the input has the members that the row names
      const bound = chairside[operation] as (caller: Caller, given: object) => Answered;
      return bound(caller, input);
    },
  };
}

const isRequired = { required: true, optional: false, none: undefined } as const;

/** Whether a member is sent. `undefined`: the operation has no such member. */
const isSent = (required: boolean | undefined, value: unknown) =>
  required === true || (required === false && value !== undefined);

/** The rows of the interface, and of all that a host may switch on beside it. */
export const served = [
  ...routes,
  ...Object.values(optionalGroups).flatMap((group): readonly Route[] => group.routes),
];

/** The operations of these rows. */
export const operations = Object.fromEntries(
  served.map((row) => [row.operation, specOf(row)]),
) as Readonly<Record<SpecOperation, Operation>>; // cast: a test compares the names with the core's
