import type * as v from 'valibot';
import type { FaultOf, ProblemOf, ProblemType } from '../domain/problem.ts';
import type { Err, Result, ResultAsync } from '../domain/result.ts';
import type { Ports, RateLimitClass } from '../ports/ports.ts';
import type { StoreConflict, StoreUnavailable } from '../ports/store.ts';
import type { Shapes } from '../schemas/shapes/shape.ts';
import type { Caller } from './call.ts';
import type { Unvalidated } from './input.ts';
import { type CommonProblem, perform, type Run } from './perform.ts';

/** The groups of the operations that clients call. */
export type OperationGroup =
  | 'Contactless payments'
  | 'Refunds'
  | 'Terminals'
  | 'Payment methods'
  | 'Businesses'
  | 'Barbers'
  | 'Authentication';

type Ended<T, E> = AsyncGenerator<Err<never, E>, T, void> | Promise<Result<T, E>>;

/** The errors of the steps of an operation that declares problems of type `P`. */
type ErrorOfSteps<P extends ProblemType> =
  | FaultOf<P | CommonProblem>
  | ProblemOf<P | CommonProblem>
  | StoreConflict
  | StoreUnavailable;

/** An operation that callers run: the part that {@link Bound} needs. */
export interface HostOperation<Input, Output, P extends ProblemType> {
  /** The rate limit that counts it (D31). `none`: only the host can reach it. */
  readonly limit: RateLimitClass | 'none';
  /** Its own problems. Every operation also returns those of {@link CommonProblem}. */
  readonly problems: readonly P[];
  readonly takesNoInput?: boolean;
  readonly run: (run: Run, input: Input) => Ended<Output, ErrorOfSteps<NoInfer<P>>>;
}

/** The facts of an operation for transports and their documents. */
export interface OperationFacts {
  readonly group: OperationGroup;
  readonly summary: string;
  /** The description, in addition to the summary. */
  readonly description: string;
  /** Whether its input has an idempotency key, and whether the key is required. */
  readonly idempotencyKey?: 'required' | 'optional';
  /** If omitted, a request with a body is rejected. */
  readonly body?: { readonly schema: v.GenericSchema; readonly required: boolean };
  /** Query parameters, by name. */
  readonly query?: Readonly<Record<string, v.GenericSchema>>;
  /** The schema of its result. If omitted, the operation has none. */
  readonly output?: v.GenericSchema;
  /** An example of its result at another moment than the example of its schema. */
  readonly example?: unknown;
  /** The named schemas of its input and result, for documents. */
  readonly shapes?: Shapes;
  /** Its own problems, in addition to those of all operations. */
  readonly problems: readonly ProblemType[];
}

/** An operation that clients call. */
export interface Operation<Input, Output, P extends ProblemType>
  extends HostOperation<Input, Output, P>,
    Omit<OperationFacts, 'problems'> {
  readonly limit: RateLimitClass;
}

/** States an operation that clients call. Transports make its name, its key in the object, public. */
export function operation<Input, Output>() {
  return <const P extends ProblemType, S extends v.GenericSchema>(
    stated: Operation<Input, Output, P> & Fitting<Input, Output, S>,
  ): Operation<Input, Output, P> => stated;
}

/** States an operation with a caller that only the host can reach. */
export function hostOperation<Input, Output>() {
  return <const P extends ProblemType>(
    stated: Omit<HostOperation<Input, Output, P>, 'limit'>,
  ): HostOperation<Input, Output, P> => ({ limit: 'none', ...stated });
}

/** The parts that an operation states must fit the types of its input and result. */
type Fitting<Input, Output, S> = Given<Input> &
  Keyed<Input> &
  Embodied<Input> &
  Asked<Input> &
  Shown<Output, S>;

type Member<Input, Name extends string> = Name extends keyof Input ? Input[Name] : never;
type IsOptional<Input, Name extends string> =
  Input extends Readonly<Record<Name, unknown>> ? false : true;
type Keyed<Input> = 'idempotencyKey' extends keyof Input
  ? {
      readonly idempotencyKey: IsOptional<Input, 'idempotencyKey'> extends true
        ? 'optional'
        : 'required';
    }
  : { readonly idempotencyKey?: never };
type Embodied<Input> = 'body' extends keyof Input
  ? {
      readonly body: {
        readonly schema: v.GenericSchema<Exclude<Member<Input, 'body'>, Unvalidated | undefined>>;
        readonly required: IsOptional<Input, 'body'> extends true ? false : true;
      };
    }
  : { readonly body?: never };
type Asked<Input> = 'query' extends keyof Input
  ? { readonly query: { readonly [N in keyof Member<Input, 'query'>]-?: v.GenericSchema } }
  : { readonly query?: never };
type Given<Input> = Input extends void
  ? { readonly takesNoInput: true }
  : { readonly takesNoInput?: never };
type Shown<Output, S> = Output extends void
  ? { readonly output?: never }
  : { readonly output: S & ([Output] extends [v.InferInput<S & v.GenericSchema>] ? S : never) };

/** The operations of an object, bound to a host's ports. Functions of ports are bound too. */
export type Bound<Operations> = {
  readonly [N in keyof Operations]: BoundOne<Operations[N]>;
};

type BoundOne<O> =
  O extends HostOperation<infer Input, infer Output, infer P>
    ? Input extends void
      ? (caller: Caller) => ResultAsync<Output, ProblemOf<P | CommonProblem>>
      : (caller: Caller, input: Input) => ResultAsync<Output, ProblemOf<P | CommonProblem>>
    : O extends (ports: Ports, ...rest: infer Rest) => infer R
      ? (...rest: Rest) => R
      : Bound<O>;

/** The operations of several objects, as members of one. */
export type Merged<Listed> = (
  Listed[keyof Listed] extends infer One
    ? One extends unknown
      ? (one: One) => void
      : never
    : never
) extends (one: infer All) => void
  ? All
  : never;

/** The names of the operations that clients call. */
export type ClientOperationOf<Operations> = {
  readonly [N in keyof Operations]: Operations[N] extends { readonly group: OperationGroup }
    ? N
    : never;
}[keyof Operations];

/** The error of the operation in an object. */
export type OperationError<Operations> = {
  readonly [N in keyof Operations]: Operations[N] extends HostOperation<infer _I, infer _O, infer P>
    ? ProblemOf<P | CommonProblem>
    : never;
}[keyof Operations];

type AnyOperation = HostOperation<never, unknown, ProblemType>;
type AnyFunction = (ports: Ports, ...rest: never[]) => unknown;
export interface Operations {
  readonly [name: string]: AnyOperation | AnyFunction | Operations;
}

/** Merges the objects that a module exports. */
export function merge<Listed extends Readonly<Record<string, Operations>>>(
  listed: Listed,
): Merged<Listed> {
  // cast: the members of all are the members of one object
  return Object.assign({}, ...Object.values(listed)) as Merged<Listed>;
}

/** Binds all operations of an object, and of the objects in it. */
export function bind<O extends Operations>(ports: Ports, operations: O): Bound<O> {
  const bound = Object.entries(operations).map(([name, one]) => [name, bindOne(ports, name, one)]);
  return Object.fromEntries(bound) as Bound<O>; // cast: `bindOne` binds by the rules of `BoundOne`
}

function bindOne(ports: Ports, name: string, one: Operations[string]): unknown {
  if (typeof one === 'function') return (...rest: never[]) => one(ports, ...rest);
  if (!isOperation(one)) return bind(ports, one);
  const { limit, run, takesNoInput = false } = one;
  const named = { name, limit };
  return takesNoInput
    ? (caller: Caller, none: never) => perform(ports, named, caller, (act) => run(act, none))
    : (caller: Caller, input: never) =>
        perform(ports, named, caller, (act) => run(act, input), input);
}

function isOperation(one: AnyOperation | Operations): one is AnyOperation {
  return typeof one.run === 'function';
}
