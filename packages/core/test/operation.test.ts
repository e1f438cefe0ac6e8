import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { bind, inputSchemaOf, merge, operation } from '../src/call/operation.ts';
import type { CommonProblem, Run } from '../src/call/perform.ts';
import { operations } from '../src/chairside.ts';
import { fault, type ProblemOf } from '../src/domain/problem.ts';
import { err, ok, type ResultAsync } from '../src/domain/result.ts';
import type { RegisterTerminalInput } from '../src/names.ts';
import * as listed from '../src/operations/index.ts';
import { terminals } from '../src/operations/terminals.ts';
import { type TerminalView, terminalSchema, terminalsSchema } from '../src/schemas/terminal.ts';
import { testPorts } from './ports.ts';
import { problem, value } from './support.ts';

const ada = { subject: 'user-1', barberId: 'barber-1' };

describe('the record of an operation', () => {
  it('is bound to ports, with its name for the observer and its rate limit (D147)', async () => {
    const stated = operation<{ readonly thingId: string }, number>()({
      limit: 'reads',
      problems: ['notFound'],
      group: 'Terminals',
      summary: 'Reads a thing',
      description: '',
      output: terminalSchema.entries.id as never, // cast: no schema shows a number
      run: async (_: Run, { thingId }) =>
        thingId === 'one' ? ok(1) : err(fault('notFound', 'There is no such thing.')),
    });
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
    const { limit, problems, group } = terminals.registerTerminal;
    const optional = v.object({ text: v.optional(v.string()) });
    const stating = {
      ...{ limit, problems, group, summary: '', description: '' },
      body: { schema: optional, required },
      output: terminalSchema,
      run: async (_: Run, { body }: { readonly body: object }) => ok(body),
    };
    // cast: one statement of both kinds
    const stated = operation<RegisterTerminalInput, TerminalView>()(stating as never);
    const { putThing } = bind(testPorts().ports, { putThing: stated });
    // cast: the body is absent
    const put = await putThing(ada, {} as never);
    expect(put.isOk() ? put.value : put.error.type).toEqual(required ? 'badRequest' : {});
  });

  it('checks its key although it has no body', async () => {
    const { limit, problems, group } = terminals.registerTerminal;
    const stated = operation<{ readonly idempotencyKey: string }, string>()({
      ...{ limit, problems, group, summary: '', description: '' },
      idempotencyKey: 'required',
      output: v.string(),
      run: async (_: Run, { idempotencyKey }) => ok(idempotencyKey),
    });
    const { doThing } = bind(testPorts().ports, { doThing: stated });
    expect(value(await doThing(ada, { idempotencyKey: 'k' }))).toBe('k');
    expect(problem(await doThing(ada, { idempotencyKey: ' ' })).type).toBe('badRequest');
  });

  it('is left out with its line', () => {
    const { refundPayment: _1, refundReads: _2, ...others } = listed;
    const chairside = bind(testPorts().ports, merge(others));
    expect(Object.keys(chairside)).not.toContain('refundPayment');
    expect(Object.keys(chairside)).toContain('captureContactlessPayment');
  });

  it('does not compile if it differs from the types of its input and result', () => {
    const { limit, problems, group, run } = terminals.registerTerminal;
    const fits = { limit, problems, group, run, summary: '', description: '' };
    const state = operation<RegisterTerminalInput, TerminalView>();
    const body = { schema: terminalSchema, required: true } as const;
    expect(state({ ...fits, body, output: terminalSchema }).limit).toBe('writes');
    // @ts-expect-error the operation needs a body
    state({ ...fits, body: undefined, output: terminalSchema });
    // @ts-expect-error the body may be absent
    state({ ...fits, body: { ...body, required: false }, output: terminalSchema });
    // @ts-expect-error the body has another schema
    state({ ...fits, body: { ...body, schema: terminalsSchema }, output: terminalSchema });
    // @ts-expect-error the operation has no key
    state({ ...fits, body, idempotencyKey: 'required', output: terminalSchema });
    // @ts-expect-error the schema shows another result
    state({ ...fits, body, output: terminalsSchema });
    // @ts-expect-error the steps have more problems
    state({ ...fits, body, output: terminalSchema, problems: ['badRequest'] });
  });
});
