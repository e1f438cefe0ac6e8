import * as v from 'valibot';
import { moneyPattern } from './money.ts';
import { codePointLength, isLonger, isStorable } from './text.ts';
import { parseTimestamp, timestampPattern } from './time.ts';

/** The interface's shared types as valibot schemas that convert to JSON Schema without loss. */

const storable = v.check(isStorable, 'must not contain U+0000 or half of a surrogate pair');

/** A string of `min` to `max` code points that every store can keep. */
export function text(min: number, max: number) {
  return v.pipe(
    v.string(),
    v.check((value) => {
      // A code point is one or two UTF-16 units, so short texts need no count.
      const length =
        value.length < 2 * min || value.length > max ? codePointLength(value) : value.length;
      return length >= min && length <= max;
    }, `must have ${min} to ${max} characters`),
    storable,
    v.metadata({ minLength: min, maxLength: max }),
  );
}

/** A string of any length that every store can keep. */
export const anyTextSchema = v.pipe(v.string(), storable);

export const resourceIdSchema = text(1, 255);

export const moneySchema = v.pipe(
  v.string(),
  v.regex(moneyPattern, 'must be an exact decimal with two fractional digits, such as 45.00'),
);

export const timestampSchema = v.pipe(
  v.string(),
  v.regex(timestampPattern, 'must be a time such as 2026-11-20T09:30:00.000Z'),
  v.check((value) => parseTimestamp(value) !== undefined, 'is not a date of the calendar'),
  v.metadata({ format: 'date-time' }),
);

/** A non-negative integer that fits `int16`, for the counts of lists. */
export const countSchema = v.pipe(
  v.number(),
  v.integer(),
  v.minValue(0),
  v.maxValue(32_767),
  v.metadata({ format: 'int16' }),
);

/** The `Idempotency-Key` header: 1 to 255 characters after trimming. */
export const idempotencyKeySchema = v.pipe(
  v.string(),
  v.check((value) => {
    const key = value.trim();
    return key !== '' && !isLonger(key, 255);
  }, 'must have 1 to 255 characters'),
  storable,
  v.regex(/^(?=[\s\S]*\S)(?!\s*""\s*$)/, 'must not be empty between its quotes'),
  v.metadata({ minLength: 1, maxLength: 255 }),
);

/** A named schema of the interface, with its texts and an example, for documents. */
export interface Shape<E = unknown> {
  readonly schema: v.GenericSchema;
  readonly about: string;
  readonly example: E;
  /** The texts of an object's properties. */
  readonly properties?: Readonly<Record<string, string>>;
  /** Examples of the properties that exist only where a host has switched an option on. */
  readonly optional?: Readonly<Partial<Record<WireOption, Readonly<Record<string, unknown>>>>>;
}

/** What a host may switch on, so that objects of the interface have more members. */
export const wireOptions = ['tips', 'shares'] as const;
export type WireOption = (typeof wireOptions)[number];

export type Shapes = Readonly<Record<string, Shape>>;

/** Describes a schema other than an object. */
export function shape<S extends v.GenericSchema>(
  schema: S,
  about: string,
  example: v.InferInput<S>,
): Shape<v.InferInput<S>> {
  return { schema, about, example };
}

type ExampleOf<S> = S extends v.GenericSchema ? Exclude<v.InferInput<S>, undefined> : never;

/** The members of an object on the wire: the schema, the text and an example of each. */
type Members<E extends v.ObjectEntries> = {
  readonly [P in keyof E]: readonly [schema: E[P], text: string, example: ExampleOf<E[P]>];
};
type Examples<E extends v.ObjectEntries> = { readonly [P in keyof E]: ExampleOf<E[P]> };
type NoEntries = Record<never, never>;

/** The members that an object has only where the host has switched an option on. */
type OptionMembers<T extends v.ObjectEntries, S extends v.ObjectEntries> = {
  readonly tips?: Members<T>;
  readonly shares?: Members<S>;
};

/**
 * An object of a response: its schema, texts and example, stated once.
 * @param optional the members that it has only where the host has switched an option on.
 */
export function wireObject<
  E extends v.ObjectEntries,
  T extends v.ObjectEntries = NoEntries,
  S extends v.ObjectEntries = NoEntries,
>(about: string, members: Members<E>, optional: OptionMembers<T, S> = {}) {
  return { schema: v.object(entriesOf(members, optional)), ...textsOf(about, members, optional) };
}

/** An object of a request, which may have no other members. */
export function wireBody<
  E extends v.ObjectEntries,
  T extends v.ObjectEntries = NoEntries,
  S extends v.ObjectEntries = NoEntries,
>(about: string, members: Members<E>, optional: OptionMembers<T, S> = {}) {
  const schema = v.strictObject(entriesOf(members, optional));
  const { tips, shares } = optional;
  const published = (tips ?? shares) && {
    /** The schema while some options are off: it refuses their members as unknown ones. */
    schemaFor: (isOn: (option: WireOption) => boolean): v.GenericSchema =>
      v.strictObject(
        column(
          { ...members, ...(isOn('tips') && tips), ...(isOn('shares') && shares) },
          0,
        ) as v.ObjectEntries, // cast: the schemas of the members
      ),
  };
  return { schema, published, ...textsOf(about, members, optional) };
}

function entriesOf<E extends v.ObjectEntries, T extends v.ObjectEntries, S extends v.ObjectEntries>(
  members: Members<E>,
  { tips, shares }: OptionMembers<T, S>,
): E & T & S {
  // cast: the schemas of all members
  return column({ ...members, ...tips, ...shares }, 0) as E & T & S;
}

function textsOf<E extends v.ObjectEntries>(
  about: string,
  members: Members<E>,
  { tips = {}, shares = {} }: OptionMembers<v.ObjectEntries, v.ObjectEntries>,
) {
  return {
    about,
    example: column(members, 2) as Examples<E>, // cast: the examples of all members
    properties: column({ ...members, ...tips, ...shares }, 1) as Record<string, string>, // cast: the texts
    optional: { tips: column(tips, 2), shares: column(shares, 2) },
  };
}

/** One part of each member. */
function column(members: object, index: 0 | 1 | 2): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).map(([name, parts]) => [name, parts[index]]));
}

/** The member of every list. */
export const count = [countSchema, 'The number of `items`.', 1] as const;

export const sharedShapes = {
  ResourceId: shape(
    resourceIdSchema,
    'The opaque, case-sensitive id of a record.',
    'cpm_01jd3zk8q0e5v9h2m7x4r6t1bc',
  ),
  Money: shape(
    moneySchema,
    'An exact decimal with two fractional digits, in the currency of the business.',
    '45.00',
  ),
  Timestamp: shape(
    timestampSchema,
    'A time: RFC 3339, UTC, with milliseconds.',
    '2026-11-20T09:30:00.000Z',
  ),
  Count: shape(countSchema, 'The number of entries in a list.', 1),
  IdempotencyKey: shape(
    idempotencyKeySchema,
    'A key of the client, of 1 to 255 characters after trimming. It applies the operation once, even if the request is repeated. A UUID is best.',
    '5d1f3f0e-8c1c-4a52-9b35-0d2d1a9f6c11',
  ),
};
