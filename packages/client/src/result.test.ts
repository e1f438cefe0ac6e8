import * as core from '@chairside/core/result';
import { expect, it } from 'vitest';
import * as own from './result.ts';

// The client's Results behave like the core's (D104): each of their methods is called on both.

type Either = Pick<own.Ok<number, string>, keyof own.Ok<number, string>>;
type Name = Exclude<keyof Either, 'value'>;

interface Makers {
  readonly ok: (value: number) => unknown;
  readonly err: (error: string) => unknown;
}

const calls = {
  isOk: () => [],
  isErr: () => [],
  map: () => [(n: number) => n + 1],
  mapErr: () => [(e: string) => `${e}!`],
  andThen: ({ ok, err }) => [(n: number) => (n > 0 ? ok(n + 1) : err('no'))],
  match: () => [String, (e: string) => `${e}!`],
  unwrapOr: () => [7],
} as const satisfies Readonly<Record<Name, (makers: Makers) => readonly unknown[]>>;

const content = (result: object) =>
  'isOk' in result
    ? { value: Reflect.get(result, 'value'), error: Reflect.get(result, 'error') }
    : result;

/** Calls the method by its name, so that both libraries get the same arguments. */
function called(result: object, name: Name, makers: Makers): unknown {
  const returned: unknown = Reflect.apply(Reflect.get(result, name), result, calls[name](makers));
  return typeof returned === 'object' && returned !== null ? content(returned) : returned;
}

// cast: these are the keys
it.each(Object.keys(calls) as Name[])('has %s with the same effect as the core (D104)', (name) => {
  for (const n of [1, 0]) {
    expect(called(own.ok(n), name, own)).toEqual(called(core.ok(n), name, core));
  }
  expect(called(own.err('e'), name, own)).toEqual(called(core.err('e'), name, core));
});

it('has the value or the error, but not both', () => {
  expect('error' in own.ok(1)).toBe(false);
  expect('value' in own.err('e')).toBe(false);
});
