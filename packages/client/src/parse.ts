/**
 * Parses a JSON value; `undefined` if the app cannot use it. It is deliberately loose: unknown
 * members stay, unknown enum values pass, and an optional member of another type counts as absent.
 */
export type Parser<T> = (value: unknown) => T | undefined;

/** An enum that may grow: known values are suggested, and all strings are allowed. */
export type Open<T> = T extends string
  ? string extends T
    ? T
    : T | (string & Record<never, never>)
  : T extends readonly (infer Item)[]
    ? readonly Open<Item>[]
    : T extends object
      ? { [K in keyof T]: Open<T[K]> }
      : T;

export const text: Parser<string> = (value) => (typeof value === 'string' ? value : undefined);

export const number: Parser<number> = (value) => (typeof value === 'number' ? value : undefined);

export const flag: Parser<boolean> = (value) => (typeof value === 'boolean' ? value : undefined);

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function list<T>(item: Parser<T>): Parser<readonly T[]> {
  return (value) => {
    if (!Array.isArray(value)) return undefined;
    const items = value.map(item);
    // cast: each item was parsed
    return items.includes(undefined) ? undefined : (items as readonly T[]);
  };
}

type Parsers<T> = { readonly [K in keyof T]: Parser<T[K]> };

export function object<R extends object, O extends object = Record<never, never>>(
  required: Parsers<R>,
  optional?: Parsers<O>,
): Parser<R & Partial<O>> {
  return (value) => {
    if (!isObject(value)) return undefined;
    const parsed: Record<string, unknown> = { ...value };
    for (const [name, parser] of Object.entries<Parser<unknown>>({ ...required, ...optional })) {
      const member = parser(value[name]);
      if (member !== undefined) parsed[name] = member;
      else if (name in required) return undefined;
      else delete parsed[name];
    }
    // cast: each member of R and O was read by its parser
    return parsed as R & Partial<O>;
  };
}

/** The response of an operation without a body (204). The error page of a proxy has one. */
export const nothing: Parser<{ readonly none: true }> = (value) =>
  value ? undefined : { none: true };
