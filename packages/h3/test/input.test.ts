import {
  type Fault,
  registerTerminalBodySchema,
  resourceIdSchema,
  terminalsSchema,
} from '@chairside/core';
import { mockEvent } from 'h3';
import { describe, expect, it } from 'vitest';
import { readInput } from '../src/input.ts';
import { type Route, route } from '../src/route.ts';

const row: Route = {
  operation: 'listTerminals',
  summary: 'Looks things up',
  description: '',
  tag: 'Terminals',
  method: 'GET',
  path: '/things',
  query: { phoneNumber: resourceIdSchema, emailAddress: resourceIdSchema },
  success: { status: 200 },
  problems: [],
};

describe('query parameters', () => {
  const read = (query: string) => readInput(row, mockEvent(`/things${query}`), new Uint8Array());
  const pointers = ({ problems = [] }: Fault) => problems.map(({ attributes }) => attributes);

  it('go into the input if they are known, decoded', () => {
    const given = '?phoneNumber=%2B49%2030&other=x';
    expect(read(given)._unsafeUnwrap()).toEqual({ query: { phoneNumber: '+49 30' } });
    expect(read('')._unsafeUnwrap()).toEqual({ query: {} });
    expect(read('?phoneNumber=+49+30&x=%ff')._unsafeUnwrap()).toEqual({
      query: { phoneNumber: '+49 30' },
    });
    expect(read('?emailAddress')._unsafeUnwrap()).toEqual({ query: { emailAddress: '' } });
    expect(read('?emailAddress=a=b')._unsafeUnwrap()).toEqual({ query: { emailAddress: 'a=b' } });
  });

  it('are percent-encoded UTF-8', () => {
    for (const bad of ['%ff', '%zz', '%', 'a%']) {
      const fault = read(`?phoneNumber=${bad}`)._unsafeUnwrapErr();
      expect(pointers(fault)).toEqual([{ pointer: 'query/phoneNumber' }]);
    }
  });

  it('appear once', () => {
    const fault = read(
      '?phoneNumber=1&phoneNumber=1&emailAddress=a&emailAddress=b',
    )._unsafeUnwrapErr();
    expect(fault.type).toBe('badRequest');
    expect(pointers(fault)).toEqual([
      { pointer: 'query/phoneNumber' },
      { pointer: 'query/emailAddress' },
    ]);
  });
});

describe('a row that does not fit its operation', () => {
  const fits = {
    operation: 'registerTerminal',
    summary: '',
    description: '',
    tag: 'Terminals',
    method: 'POST',
    path: '/terminals',
    body: { schema: registerTerminalBodySchema, required: true },
    success: { status: 201 },
    problems: [
      'badRequest',
      'forbidden',
      'contactlessPaymentEntitlementMissing',
      'conflict',
      'unprocessableEntity',
      'contactlessPaymentDeviceUnsupported',
    ],
  } as const;

  it('does not compile', () => {
    expect(route(fits)).toBe(fits);
    // @ts-expect-error the operation needs a body
    route({ ...fits, body: undefined });
    // @ts-expect-error the body may be absent
    route({ ...fits, body: { ...fits.body, required: false } });
    // @ts-expect-error the operation has more problems
    route({ ...fits, problems: ['badRequest'] });
    // @ts-expect-error the operation has no such problem
    route({ ...fits, problems: [...fits.problems, 'notFound'] });
    // @ts-expect-error the schema shows another answer
    route({ ...fits, success: { status: 201, schema: terminalsSchema } });
    const reads = { operation: 'getTerminal', problems: ['forbidden', 'notFound'] } as const;
    // @ts-expect-error the path lacks the id
    route({ ...fits, ...reads });
  });
});
