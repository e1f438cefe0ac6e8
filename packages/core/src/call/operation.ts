import * as v from 'valibot';
import type { FaultOf, ProblemOf, ProblemType } from '../domain/problem.ts';
import { err, type ResultAsync } from '../domain/result.ts';
import type { Ports, RateLimitClass } from '../ports/ports.ts';
import type { StoreConflict, StoreUnavailable } from '../ports/store.ts';
import type { Shapes } from '../schemas/shapes/shape.ts';
import { idempotencyKeySchema } from '../schemas/shared.ts';
import type { Call, Caller } from './call.ts';
import { parseInput, type Unvalidated } from './input.ts';
import { type CommonProblem, type Ended, hostCaller, perform, type Run } from './perform.ts';

/** The groups of the operations that clients call. */
export type OperationGroup =
  | 'Contactless payments'
  | 'Refunds'
  | 'Charges'
  | 'Terminals'
  | 'Payment methods'
  | 'Businesses'
  | 'Barbers'
  | 'Authentication';

/** The errors of the steps of an operation that declares problems of type `P`. */
export type ErrorOfSteps<P extends ProblemType> =
  | FaultOf<P | CommonProblem>
  | ProblemOf<P | CommonProblem>
  | StoreConflict
  | StoreUnavailable;

/** An operation with a caller: the part that {@link Bound} needs. */
export interface HostOperation<Input, Output, P extends ProblemType> {
  /** The rate limit that counts it (D31). `none`: only the host can reach it. */
  readonly limit: RateLimitClass | 'none';
  /** Its own problems. Every operation also returns those of {@link CommonProblem}. */
  readonly problems: readonly P[];
  readonly takesNoInput?: boolean;
  readonly run: (run: Run, input: Input) => Ended<Output, ErrorOfSteps<NoInfer<P>>>;
}

/** An operation without a caller, which only the host can reach. */
export interface HostTask<Args extends readonly unknown[], Output, P extends ProblemType> {
  /** Its name for the observer, if the name in its object differs. */
  readonly name?: string;
  /** Its own problems, as of {@link HostOperation}. */
  readonly problems: readonly P[];
  /** The facts of its call, if a transport gives some. */
  readonly callOf?: (...args: Args) => Call;
  /** A missing input is `undefined`, even where the types require one. */
  readonly task: (run: Run, ...args: Args) => Ended<Output, ErrorOfSteps<NoInfer<P>>>;
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

/** States an operation that clients call. Transports publish its name: its key in the object. */
export function operation<Input, Output>() {
  return <const P extends ProblemType, S extends v.GenericSchema>(
    stated: Omit<Operation<Input, Output, P>, 'run'> &
      Fitting<Input, Output, S> &
      Refusing<Input, P> & {
        readonly run: (run: Run, input: Valid<Input>) => Ended<Output, ErrorOfSteps<NoInfer<P>>>;
      },
  ): Operation<Input, Output, P> => {
    const schema = inputSchemaOf(stated);
    // cast: without a part to check, both types of the input are the same
    if (schema === undefined) return stated as unknown as Operation<Input, Output, P>;
    const absentBody = stated.body?.required === false ? {} : undefined;
    return {
      ...stated,
      run: (run, input) => {
        const given: Readonly<Record<string, unknown>> = Object(input);
        const parsed = parseInput(schema, { ...given, body: given['body'] ?? absentBody });
        if (parsed.isErr()) {
          // cast: `Refusing` requires this problem of an operation that checks its input
          return Promise.resolve(err(parsed.error)) as Ended<never, ErrorOfSteps<P>>;
        }
        // cast: the schema has the parts in which the two types differ
        return stated.run(run, { ...given, ...parsed.value } as Valid<Input>);
      },
    };
  };
}

/** An input after validation: its body is there, and of its schema. */
export type Valid<Input> = 'body' extends keyof Input
  ? Omit<Input, 'body'> & { readonly body: Exclude<Input['body'], Unvalidated | undefined> }
  : Input;

/** The parts of an input that its operation checks. Invalid ids find no record later (D1). */
type CheckedParts = Pick<OperationFacts, 'idempotencyKey' | 'body' | 'query'>;

/** The schema of the key, the body and the query of an operation's input, if it has one of them. */
export function inputSchemaOf({ idempotencyKey, body, query }: CheckedParts) {
  const key =
    idempotencyKey === 'optional' ? v.optional(idempotencyKeySchema) : idempotencyKeySchema;
  const entries: Record<string, v.GenericSchema> = {
    ...(idempotencyKey !== undefined && { idempotencyKey: key }),
    ...(body !== undefined && { body: body.schema }),
    ...(query !== undefined && { query: v.object(query) }),
  };
  return Object.keys(entries).length === 0 ? undefined : v.object(entries);
}

/** States an operation with a caller that only the host can reach. */
export function hostOperation<Input, Output>() {
  return <const P extends ProblemType>(
    stated: Omit<HostOperation<Input, Output, P>, 'limit'>,
  ): HostOperation<Input, Output, P> => ({ limit: 'none', ...stated });
}

/** States an operation without a caller. `Args` are its parameters: an input, or a handler before it. */
export function hostTask<Args extends readonly unknown[], Output>() {
  return <const P extends ProblemType = never>(
    stated: HostTask<Args, Output, P>,
  ): HostTask<Args, Output, P> => stated;
}

/** The parts that an operation states must fit the types of its input and result. */
type Fitting<Input, Output, S> = Given<Input> &
  Keyed<Input> &
  Embodied<Input> &
  Asked<Input> &
  Shown<Output, S>;

/** An operation that checks its input can refuse it. */
type Refusing<Input, P> =
  Extract<keyof Input, 'idempotencyKey' | 'body' | 'query'> extends never
    ? unknown
    : 'badRequest' extends P
      ? unknown
      : { readonly problems: 'badRequest is missing' };
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

/** The operations of an object, bound to a host's ports. */
export type Bound<Operations> = {
  readonly [N in keyof Operations]: BoundOne<Operations[N]>;
};

type BoundOne<O> =
  O extends HostOperation<infer Input, infer Output, infer P>
    ? Input extends void
      ? (caller: Caller) => ResultAsync<Output, ProblemOf<P | CommonProblem>>
      : (caller: Caller, input: Input) => ResultAsync<Output, ProblemOf<P | CommonProblem>>
    : O extends HostTask<infer Args, infer Output, infer P>
      ? (...args: Args) => ResultAsync<Output, ProblemOf<P | CommonProblem>>
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

/** The input of an operation. */
export type OperationInput<O> =
  O extends HostOperation<infer Input, infer _O, infer _P> ? Input : never;

/** The error of an operation: a union, so that a `switch` on `type` narrows it. */
export type OperationError<O> =
  O extends HostOperation<infer _I, infer _O, infer P>
    ? ProblemOf<P | CommonProblem>
    : O extends HostTask<infer _A, infer _O, infer P>
      ? ProblemOf<P | CommonProblem>
      : never;

type AnyOperation = HostOperation<never, unknown, ProblemType>;
type AnyTask = HostTask<readonly never[], unknown, ProblemType>;
export interface Operations {
  readonly [name: string]: AnyOperation | AnyTask | Operations;
}

export function merge<Listed extends Readonly<Record<string, Operations>>>(
  listed: Listed,
): Merged<Listed> {
  // cast: the members of all are the members of one object
  return Object.assign({}, ...Object.values(listed)) as Merged<Listed>;
}

export function bind<O extends Operations>(ports: Ports, operations: O): Bound<O> {
  const bound = Object.entries(operations).map(([name, one]) => [name, bindOne(ports, name, one)]);
  return Object.fromEntries(bound) as Bound<O>; // cast: `bindOne` binds by the rules of `BoundOne`
}

function bindOne(ports: Ports, name: string, one: Operations[string]): unknown {
  if (isTask(one)) return bindTask(ports, name, one);
  if (!isOperation(one)) return bind(ports, one);
  const { limit, run, takesNoInput = false } = one;
  const named = { name, limit };
  return takesNoInput
    ? (caller: Caller, none: never) => perform(ports, named, caller, (act) => run(act, none))
    : (caller: Caller, input: never) =>
        perform(ports, named, caller, (act) => run(act, input), input);
}

function bindTask(ports: Ports, member: string, { name = member, task, callOf }: AnyTask): unknown {
  return (...args: never[]) => {
    const input: unknown = args.find((arg) => typeof arg !== 'function');
    const inputs = input === undefined ? ([] as const) : ([input] as const);
    const caller = callerOf(callOf, args);
    return perform(ports, { name, limit: 'none' }, caller, (run) => task(run, ...args), ...inputs);
  };
}

/** Hosts without types may pass facts that throw if they are read. */
function callerOf(callOf: AnyTask['callOf'], args: readonly never[]): Caller {
  try {
    return callOf?.(...args) ?? hostCaller;
  } catch {
    return hostCaller;
  }
}

function isOperation(one: AnyOperation | Operations): one is AnyOperation {
  return typeof one.run === 'function';
}

function isTask(one: Operations[string]): one is AnyTask {
  return 'task' in one && typeof one.task === 'function';
}
