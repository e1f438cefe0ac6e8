import * as v from 'valibot';
import type { Ports, RateLimitClass } from '../ports/ports.ts';
import type { StoreConflict, StoreUnavailable } from '../ports/store.ts';
import {
  badRequest,
  type Fault,
  type FaultOf,
  fieldFault,
  type ProblemOf,
  type ProblemType,
} from '../problems/problem.ts';
import { err, ok, type Result, type ResultAsync } from '../values/result.ts';
import { isLonger, isShowable } from '../values/text.ts';
import { idempotencyKeySchema, type Shapes, type WireOption } from '../values/wire.ts';
import type { Call, Caller } from './access.ts';
import type { KeyedOperations, MayBeApplied } from './idempotency.ts';
import {
  type CommonProblem,
  type Ended,
  hostCaller,
  isObject,
  perform,
  type Run,
} from './perform.ts';

/** The groups of the operations that clients call, in the order of the documents, with their descriptions. */
export const operationGroups = {
  'Contactless payments': 'Card payments at the chair, for appointments.',
  Receipts: 'What a receipt of a card payment must show.',
  Refunds: 'Refunds of captured payments.',
  Charges: 'Charges of saved methods: deposits and fees for missed visits.',
  Tenders: 'What was paid without a card, beside card payments.',
  Shares: 'Whose a captured payment is, where it belongs to several visits or barbers.',
  Terminals: 'Devices that take cards.',
  'Payment methods': "Customers' payment methods, for later appointments.",
  Businesses: 'How businesses are paid out.',
  Barbers: "Barbers' schedules.",
  Authentication: 'How users can authenticate.',
};
export type OperationGroup = keyof typeof operationGroups;

/** The errors of the steps of an operation that declares problems of type `P`. */
export type ErrorOfSteps<P extends ProblemType> =
  | FaultOf<P | CommonProblem>
  | ProblemOf<P | CommonProblem>
  | StoreConflict
  | StoreUnavailable;

/** An operation with a caller: the part that {@link Bound} needs. */
export interface HostOperation<Input, Output, P extends ProblemType> {
  /** The rate limit that counts it. `none`: only the host can reach it. */
  readonly limit: RateLimitClass | 'none';
  /** Its own problems. Every operation also returns those of {@link CommonProblem}. */
  readonly problems: readonly P[];
  readonly takesNoInput?: boolean;
  /** Needed of an operation with an idempotency key. */
  readonly mayBeApplied?: MayBeApplied;
  readonly run: (run: Run, input: Input) => Ended<Output, ErrorOfSteps<NoInfer<P>>>;
}

/** An operation without a caller, which only the host can reach. */
export interface HostTask<Args extends readonly unknown[], Output, P extends ProblemType> {
  /** Its name for the observer, if the name in its object differs. */
  readonly name?: string;
  /** Its own problems, as of {@link HostOperation}. */
  readonly problems: readonly P[];
  /** It runs although the store belongs to another world. */
  readonly isAnywhere?: boolean;
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
  /** The names of the ids in its path, which are members of its input. */
  readonly ids?: readonly string[];
  /** Whether its input has an idempotency key, and whether the key is required. */
  readonly idempotencyKey?: 'required' | 'optional';
  /** If omitted, a request with a body is rejected. */
  readonly body?: {
    readonly schema: v.GenericSchema;
    readonly required: boolean;
    /** Gives the schema while the host has switched some options off. */
    readonly published?: Published | undefined;
  };
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

interface Published {
  readonly schemaFor: (isOn: (option: WireOption) => boolean) => v.GenericSchema;
}

/** An operation that clients call. */
export interface Operation<Input, Output, P extends ProblemType>
  extends HostOperation<Input, Output, P>,
    Omit<OperationFacts, 'problems'> {
  readonly limit: RateLimitClass;
}

/** The parts of an input. Ids are not checked: an invalid one finds no record later. */
type Parts = Pick<OperationFacts, 'ids' | 'idempotencyKey' | 'body' | 'query'>;

interface Keyed {
  /** 1 to 255 characters: a new one for each new request, the same one for its retries. */
  readonly idempotencyKey: string;
}

/** The input of an operation that states these parts; `undefined` without any. */
type InputFrom<P extends Parts> = Flat<
  (P extends { readonly ids: readonly (infer Id extends string)[] }
    ? { readonly [N in Id]: string }
    : unknown) &
    (P extends { readonly idempotencyKey: infer Key }
      ? Key extends 'required'
        ? Keyed
        : Partial<Keyed>
      : unknown) &
    (P extends { readonly body: { readonly schema: infer S; readonly required: infer R } }
      ? R extends true
        ? { readonly body: Sent<S> }
        : { readonly body?: Sent<S> }
      : unknown) &
    (P extends { readonly query: infer Q extends v.ObjectEntries }
      ? { readonly query: v.InferInput<v.ObjectSchema<Q, undefined>> }
      : unknown)
>;
type Sent<S> = v.InferInput<S & v.GenericSchema> | Unvalidated;
type Flat<T> = [keyof T] extends [never] ? undefined : { [N in keyof T]: T[N] };

/** A validated input: its body is present and matches the schema. */
type Valid<Input> = Input extends { readonly body?: infer Body }
  ? Omit<Input, 'body'> & { readonly body: Exclude<Body, Unvalidated | undefined> }
  : Input;

/** The result of an operation, as its schema shows it. */
type Shown<P extends Pick<OperationFacts, 'output'>> = P extends { readonly output: infer S }
  ? v.InferInput<S & v.GenericSchema>
  : // biome-ignore lint/suspicious/noConfusingVoidType: steps without a result return nothing
    void;

type Stated = Omit<Operation<never, unknown, ProblemType>, 'run' | 'takesNoInput'>;

/**
 * States an operation that clients call, and then its steps. Transports publish its name: its key in the
 * object. The types of its input and of the steps follow from what is stated.
 */
export function operation<const S extends Stated>(stated: S) {
  const { problems, summary, idempotencyKey, mayBeApplied, body, ids }: Stated = stated;
  const schema = inputSchemaOf(stated);
  if (schema !== undefined && !problems.includes('badRequest')) {
    throw new TypeError(`"${summary}" checks its input, so it needs the problem badRequest`);
  }
  if (idempotencyKey !== undefined && mayBeApplied === undefined) {
    throw new TypeError(`"${summary}" takes a key, so it needs mayBeApplied`);
  }
  const absentBody = body?.required === false ? {} : undefined;
  const schemas = new Map<string, typeof schema>();
  /** Made once for each choice of a host: all options are on in the schema of the operation. */
  const schemaFor = (options: Pick<Ports, WireOption>) => {
    if (body?.published === undefined) return schema;
    const isOn = (option: WireOption) => options[option] !== undefined;
    const choice = `${isOn('tips')} ${isOn('shares')}`;
    const made =
      schemas.get(choice) ??
      inputSchemaOf({ ...stated, body: { ...body, schema: body.published.schemaFor(isOn) } });
    schemas.set(choice, made);
    return made;
  };

  return <Output extends Shown<S>>(steps: StepsOf<S, Output>): OperationOf<S, Output> => ({
    ...stated,
    takesNoInput: schema === undefined && ids === undefined,
    run: (run, input) => {
      const expected = schemaFor(run.ports);
      // cast: without a part to check, both types of the input are the same
      if (expected === undefined) return steps(run, input as Valid<InputFrom<S>>);
      const given: Readonly<Record<string, unknown>> = Object(input);
      const { body: sent = absentBody, ...others } = given;
      const parsed = parseInput(expected, Object.fromEntries(membersOf({ ...others, body: sent })));
      if (parsed.isErr()) {
        // cast: an operation that checks its input states this problem, as seen above
        return Promise.resolve(err(parsed.error)) as Ended<never, never>;
      }
      // cast: the schema has the parts in which the two types differ
      return steps(run, { ...given, ...parsed.value } as Valid<InputFrom<S>>);
    },
  });
}

type StepsOf<S extends Stated, Output> = (
  run: Run,
  input: Valid<InputFrom<S>>,
) => Ended<Output, ErrorOfSteps<S['problems'][number]>>;

type OperationOf<S extends Stated, Output> = Operation<InputFrom<S>, Output, S['problems'][number]>;

/**
 * The schema of an operation's input, if it has a key, a body or a query. It allows no other member: an `amount` beside
 * the body would be dropped, and the whole payment refunded.
 */
export function inputSchemaOf({ ids, idempotencyKey, body, query }: Parts) {
  const key =
    idempotencyKey === 'optional' ? v.optional(idempotencyKeySchema) : idempotencyKeySchema;
  const entries: Record<string, v.GenericSchema> = {
    ...(idempotencyKey !== undefined && { idempotencyKey: key }),
    ...(body !== undefined && { body: body.schema }),
    ...(query !== undefined && { query: v.object(query) }),
  };
  if (Object.keys(entries).length === 0) return undefined;
  for (const id of ids ?? []) entries[id] = v.optional(v.unknown());
  return v.strictObject(entries);
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

/**
 * A value from the wire that has not been validated. Use cases accept it in place of a typed body,
 * and validate both alike.
 */
export class Unvalidated {
  readonly value: unknown;
  constructor(value: unknown) {
    this.value = value;
  }
}

/** The key is an input member in process, and a header in HTTP. The pointer is the interface's. */
const idempotencyKey = {
  member: 'idempotencyKey',
  pointer: 'header/Idempotency-Key',
  name: 'The idempotency key',
  missing: 'is required: a new one for each new request, the same one for its retries',
} as const;

const kindOf = (value: unknown) => Object.prototype.toString.call(value);

/**
 * Validates a use case's input against its schema. The fault names every invalid place. It
 * never repeats the value, which might be a secret.
 */
export function parseInput<S extends v.GenericSchema>(
  schema: S,
  input: Readonly<Record<string, unknown>>,
): Result<v.InferOutput<S>, Fault<'badRequest'>> {
  const { body } = input;
  const raw = body instanceof Unvalidated ? { ...input, body: body.value } : input;
  // valibot accepts an array, a Promise or a Map as an object without members.
  if (raw['body'] !== undefined && kindOf(raw['body']) !== '[object Object]')
    return err(badRequest([fieldFault('', 'The body must be an object.')]));
  const parsed = v.safeParse(schema, raw, { abortPipeEarly: true });
  if (parsed.success) return ok(parsed.output);
  const sent = withoutArrays(schema, raw);
  const { issues = parsed.issues } = v.safeParse(schema, sent, { abortPipeEarly: true });
  const named = new Set(issues.map((issue) => JSON.stringify(keysOf(issue))));
  const unnamed = unknownMembers(schema, sent).filter((keys) => !named.has(JSON.stringify(keys)));
  return err(badRequest([...issues.map(toFault), ...unnamed.map(unknownFault)]));
}

/** `undefined` means omitted. */
function membersOf(record: object): readonly (readonly [string, unknown])[] {
  return Object.entries(record).filter(([, member]) => member !== undefined);
}

/** The same for the objects in it. */
export function withoutUndefined<T extends object>(record: T): Given<T> & Record<string, unknown> {
  return Object.fromEntries(
    membersOf(record).map(([name, member]) => [
      name,
      isObject(member) && !Array.isArray(member) ? withoutUndefined(member) : member,
    ]),
  ) as Given<T>; // cast: the same members
}
type Given<T> = { [P in keyof T]: Exclude<T[P], undefined> };

type Keys = readonly string[];

/**
 * Every unknown member of the schema's closed objects. valibot itself names only the first of each.
 */
function unknownMembers(schema: v.GenericSchema, value: unknown): Keys[] {
  if (!isObject(value) || !hasEntries(schema)) return [];
  const { entries } = schema;
  const own =
    schema.type === 'strict_object'
      ? Object.keys(value).filter((key) => !Object.hasOwn(entries, key))
      : [];
  const inner = Object.entries(entries).flatMap(([key, member]) =>
    unknownMembers(member, value[key]).map((keys) => [key, ...keys]),
  );
  return [...inner, ...own.map((key) => [key])];
}

/**
 * The value with `null` for every array that should be an object. valibot names the members that
 * the array lacks, and JSON Schema the array itself.
 */
function withoutArrays(schema: v.GenericSchema, value: unknown): unknown {
  if (!hasEntries(schema) || !isObject(value)) return value;
  if (Array.isArray(value)) return null;
  const members = Object.entries(value).map(([key, member]) => {
    const known = Object.hasOwn(schema.entries, key) ? schema.entries[key] : undefined;
    return [key, known === undefined ? member : withoutArrays(known, member)];
  });
  return Object.fromEntries(members);
}

function hasEntries(
  schema: v.GenericSchema,
): schema is v.GenericSchema & { readonly entries: Readonly<Record<string, v.GenericSchema>> } {
  return 'entries' in schema;
}

/** In code points. The interface's own pointers are less than half as long. */
const maxPointerLength = 128;

function unknownFault(keys: Keys): Fault<'badRequest'> {
  const pointer = pointerTo(keys);
  // The sender may have invented the name, so only short, printable names are repeated.
  const isNamed = !isLonger(pointer, maxPointerLength) && isShowable(pointer);
  if (isNamed) return fieldFault(pointer, `${pointer} is not a known property.`);
  const parent = pointerTo(keys.slice(0, -1));
  return fieldFault(parent, `${parent || 'The body'} has an unknown property.`);
}

function toFault(issue: v.BaseIssue<unknown>): Fault<'badRequest'> {
  const keys = keysOf(issue);
  if (issue.expected === 'never') return unknownFault(keys);
  const pointer = pointerTo(keys);
  if (pointer !== idempotencyKey.pointer)
    return fieldFault(pointer, `${pointer || 'The body'} ${reason(issue)}.`);
  const why = issue.input === undefined ? idempotencyKey.missing : reason(issue);
  return fieldFault(pointer, `${idempotencyKey.name} ${why}.`);
}

function keysOf({ path }: v.BaseIssue<unknown>): Keys {
  return (path ?? []).map(({ key }) => String(key));
}

function pointerTo(keys: Keys): string {
  const [place = '', ...rest] = keys;
  if (place === idempotencyKey.member) return idempotencyKey.pointer;
  return place === 'query' || place === 'path'
    ? keys.join('/')
    : jsonPointer(place === 'body' ? rest : keys);
}

function jsonPointer(keys: Keys): string {
  return keys.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

function reason(issue: v.BaseIssue<unknown>): string {
  if (issue.kind === 'validation') return issue.message;
  if (issue.input === undefined) return 'is required';
  return `must be ${inWords(issue.expected ?? 'another value')}`;
}

/** The types as valibot names them. */
const types: Readonly<Record<string, string>> = {
  Object: 'an object',
  Array: 'an array',
  string: 'a string',
  number: 'a number',
  boolean: 'a boolean',
  bigint: 'a bigint',
};

/** A type, or a list of values, which valibot writes as `("a" | "b")`. */
function inWords(expected: string): string {
  return types[expected] ?? expected.replace(/^\((.*)\)$/, '$1').replaceAll(' | ', ' or ');
}

/** The operations of an object, bound to a host's ports. */
export type Bound<Operations> = {
  readonly [N in keyof Operations]: BoundOne<Operations[N]>;
};

type BoundOne<O> =
  O extends HostOperation<infer Input, infer Output, infer P>
    ? Input extends undefined
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

/** The input of an operation; `undefined` without any. */
export type OperationInput<O> =
  O extends HostOperation<infer Input, infer _O, infer _P>
    ? Input
    : O extends HostTask<infer Args, infer _O, infer _P>
      ? FirstInput<Required<Args>>
      : never;
/** A handler comes before the input. */
type FirstInput<Args> = Args extends readonly [infer First, ...infer Rest]
  ? First extends (...given: never) => unknown
    ? FirstInput<Rest>
    : First
  : undefined;

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

/** How the operations with a key judge what their keys claim. */
export function keyedIn(operations: Operations): KeyedOperations {
  const judges = new Map<string, MayBeApplied>();
  for (const [name, one] of Object.entries(operations)) {
    if (isOperation(one) && one.mayBeApplied !== undefined) judges.set(name, one.mayBeApplied);
  }
  return judges;
}

export function bind<O extends Operations>(
  ports: Ports,
  operations: O,
  keyed = keyedIn(operations),
): Bound<O> {
  const bound = Object.entries(operations).map(([name, one]) => [
    name,
    bindOne(ports, name, one, keyed),
  ]);
  return Object.fromEntries(bound) as Bound<O>; // cast: `bindOne` binds by the rules of `BoundOne`
}

function bindOne(
  ports: Ports,
  name: string,
  one: Operations[string],
  keyed: KeyedOperations,
): unknown {
  if (isTask(one)) return bindTask(ports, name, one, keyed);
  if (!isOperation(one)) return bind(ports, one, keyed);
  const { limit, run, takesNoInput = false } = one;
  const named = { name, limit, keyed };
  return takesNoInput
    ? (caller: Caller, none: never) => perform(ports, named, caller, (act) => run(act, none))
    : (caller: Caller, input: never) =>
        perform(ports, named, caller, (act) => run(act, input), input);
}

function bindTask(
  ports: Ports,
  member: string,
  { name = member, task, callOf, isAnywhere }: AnyTask,
  keyed: KeyedOperations,
): unknown {
  return (...args: never[]) => {
    const input: unknown = args.find((arg) => typeof arg !== 'function');
    const inputs = input === undefined ? ([] as const) : ([input] as const);
    const caller = callerOf(callOf, args);
    const named = { name, limit: 'none', keyed, isAnywhere } as const;
    return perform(ports, named, caller, (run) => task(run, ...args), ...inputs);
  };
}

/** Hosts without types may pass facts that throw if they are read. */
function callerOf(callOf: AnyTask['callOf'], args: readonly never[]): Caller {
  try {
    // Stryker disable next-line OptionalChaining: to call what is missing throws, with the same end.
    return callOf?.(...args) ?? hostCaller;
  } catch {
    return hostCaller;
  }
}

function isOperation(one: Operations[string]): one is AnyOperation {
  return 'run' in one && typeof one.run === 'function';
}

function isTask(one: Operations[string]): one is AnyTask {
  return 'task' in one && typeof one.task === 'function';
}

const usual = 100;
const most = 1000;

/**
 * How many items a call of the host lists or processes: its limit, as a whole number from 1 to 1,000.
 * Missing or NaN counts as 100, because a wrong limit must not stop upkeep.
 */
export function toLimit(asked: number | undefined): number {
  const whole = Math.trunc(asked ?? usual);
  return Number.isNaN(whole) ? usual : Math.min(most, Math.max(1, whole));
}

/** The longest timer delay. Longer delays fire at once. */
const longestTimeoutMs = 2 ** 31 - 1;

/** A host's timeout as a valid timer delay. Values that are not above zero give the default. */
export function toTimeoutMs(asked: number | undefined, usualMs: number): number {
  return typeof asked === 'number' && asked > 0 ? Math.min(asked, longestTimeoutMs) : usualMs;
}
