import type * as v from 'valibot';

/** A named schema of the interface, with its texts and an example, for documents. */
export interface Shape {
  readonly schema: v.GenericSchema;
  readonly text: ShapeText;
  readonly example: unknown;
}

export type Shapes = Readonly<Record<string, Shape>>;

/** A description; for an object, of it and of each of its properties. */
export type ShapeText =
  | string
  | { readonly about: string; readonly properties: Readonly<Record<string, string>> };

type TextOf<S> = S extends { readonly entries: infer E }
  ? { readonly about: string; readonly properties: { readonly [P in keyof E]: string } }
  : string;
/** An example of a schema, with every property of an object. */
export type Example<S extends v.GenericSchema> = Full<v.InferInput<S>>;
type Full<T> = T extends object ? Required<T> : T;

/** Describes a schema and every property of its objects. */
export function shape<S extends v.GenericSchema>(
  schema: S,
  text: TextOf<S> & ShapeText,
  example: Example<S>,
): Shape {
  return { schema, text, example };
}
