import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { testPorts } from '../../test/ports.ts';
import { problem, value } from '../../test/support.ts';
import { operations } from '../chairside.ts';
import * as listed from '../operations.ts';
import { fault, type ProblemOf } from '../problems/problem.ts';
import { terminalSchema } from '../terminal/wire.ts';
import { err, ok, type ResultAsync } from '../values/result.ts';
import { bind, inputSchemaOf, operation } from './operation.ts';
import type { CommonProblem } from './perform.ts';

const facts = {
  limit: 'writes',
  problems: ['badRequest'],
  group: 'Terminals',
  summary: 'Puts a thing',
  description: '',
} as const;
const ada = { subject: 'user-1', barberId: 'barber-1' };

describe('the record of an operation', () => {
  it('is bound to ports, with its name for the observer and its rate limit (D147)', async () => {
    const stated = operation({
      ids: ['thingId'],
      limit: 'reads',
      problems: ['notFound'],
      group: 'Terminals',
      summary: 'Reads a thing',
      description: '',
      output: v.number(),
    })(async (_, { thingId }) =>
      thingId === 'one' ? ok(1) : err(fault('notFound', 'There is no such thing.')),
    );
    const { ports, seen } = testPorts();
    const { getThing, inner } = bind(ports, { getThing: stated, inner: { getThing: stated } });
    expect(value(await getThing(ada, { thingId: 'one' }))).toBe(1);
    expect(problem(await inner.getThing(ada, { thingId: 'two' })).type).toBe('notFound');
    expect(problem(await getThing(undefined, { thingId: 'one' })).type).toBe('unauthorized');
    const name = 'getThing';
    expect(seen).toMatchObject([{ name }, { name }, { name }]);
    const bound: (
      caller: undefined,
      input: { readonly thingId: string },
    ) => ResultAsync<number, ProblemOf<'notFound' | CommonProblem>> = getThing;
    expect(bound).toBe(getThing);
  });

  it('names every operation once, although each is in an object of its own', () => {
    const names = Object.values(listed).flatMap((object) => Object.keys(object));
    expect(Object.keys(operations).sort()).toEqual(names.sort());
  });

  it('checks its key, its body and its query, if it has them', async () => {
    const text = v.object({ text: v.string() });
    const isValid = (parts: Parameters<typeof inputSchemaOf>[0], input: object) => {
      const schema = inputSchemaOf(parts);
      return schema && v.safeParse(schema, input).success;
    };
    expect(isValid({}, {})).toBeUndefined();
    expect(isValid({ idempotencyKey: 'optional' }, {})).toBe(true);
    expect(isValid({ idempotencyKey: 'required' }, {})).toBe(false);
    expect(isValid({ query: text.entries }, { query: { text: 'a' } })).toBe(true);
    expect(isValid({ query: text.entries }, { query: {} })).toBe(false);
    expect(isValid({ body: { schema: text, required: true } }, { body: {} })).toBe(false);
  });

  it.each([true, false])('has an empty body where it may be absent: %s', async (required) => {
    const stated = operation({
      ...facts,
      body: { schema: v.object({ text: v.optional(v.string()) }), required },
      output: v.unknown(),
    })(async (_, { body }) => ok(body));
    const { putThing } = bind(testPorts().ports, { putThing: stated });
    const put = await putThing(ada, {} as never); // cast: the body is absent
    expect(put.isOk() ? put.value : put.error.type).toEqual(required ? 'badRequest' : {});
  });

  it('checks its key although it has no body', async () => {
    const stated = operation({
      ...facts,
      idempotencyKey: 'required',
      mayBeApplied: async () => true,
      output: v.string(),
    })(async (_, { idempotencyKey }) => ok(idempotencyKey));
    const { doThing } = bind(testPorts().ports, { doThing: stated });
    expect(value(await doThing(ada, { idempotencyKey: 'k' }))).toBe('k');
    expect(problem(await doThing(ada, { idempotencyKey: ' ' })).type).toBe('badRequest');
  });

  it('is refused at load if it lacks what its input needs', () => {
    const keyed = { ...facts, idempotencyKey: 'required' } as const;
    expect(() => operation(keyed)).toThrow('"Puts a thing" takes a key, so it needs mayBeApplied');
    const body = { schema: terminalSchema, required: true };
    expect(() => operation({ ...facts, problems: ['notFound'], body })).toThrow(
      '"Puts a thing" checks its input, so it needs the problem badRequest',
    );
  });

  it('does not compile if its steps differ from what it states', () => {
    const body = { schema: terminalSchema, required: true } as const;
    const state = operation({ ...facts, body, output: terminalSchema });
    expect(state(async (_, given) => ok(given.body)).limit).toBe('writes');
    // @ts-expect-error it states no query
    state(async (_, { query }) => ok(query));
    // @ts-expect-error the schema shows another result
    state(async () => ok(7));
    // @ts-expect-error it does not state this problem
    state(async () => err(fault('notFound', 'There is no such thing.')));
  });
});
