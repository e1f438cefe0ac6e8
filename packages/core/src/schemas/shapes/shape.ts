import type * as v from 'valibot';

/** A named schema of the interface, with its texts and an example, for documents. */
export interface Shape<E = unknown> {
  readonly schema: v.GenericSchema;
  readonly about: string;
  readonly example: E;
  /** The texts of an object's properties. */
  readonly properties?: Readonly<Record<string, string>>;
}

export type Shapes = Readonly<Record<string, Shape>>;

/** Describes a schema other than an object. */
export function shape<S extends v.GenericSchema>(
  schema: S,
  about: string,
  example: v.InferInput<S>,
): Shape<v.InferInput<S>> {
  return { schema, about, example };
}

type Described = v.GenericSchema & { readonly entries: v.ObjectEntries };
type ExampleOf<S> = S extends v.GenericSchema ? Exclude<v.InferInput<S>, undefined> : never;

/** A text and an example for each property of an object. */
export type ShapeMembers<S extends Described> = {
  readonly [P in keyof S['entries']]: readonly [text: string, example: ExampleOf<S['entries'][P]>];
};

/** An example of an object, with every property. */
export type Example<S extends Described> = {
  readonly [P in keyof S['entries']]: ExampleOf<S['entries'][P]>;
};

/** Describes an object and each of its properties. */
export function objectShape<S extends Described>(
  schema: S,
  about: string,
  members: ShapeMembers<S>,
): Shape<Example<S>> {
  const part = (index: 0 | 1) =>
    Object.fromEntries(Object.entries(members).map(([name, member]) => [name, member[index]]));
  const example = part(1) as Example<S>; // cast: the examples of all members
  return { schema, about, example, properties: part(0) };
}
