import { type Fault, resourceIdSchema } from '@chairside/core/ports';
import { mockEvent } from 'h3';
import { describe, expect, it } from 'vitest';
import { readInput } from './input.ts';
import { type Route, route } from './route.ts';

const row: Route = {
  operation: 'listTerminals',
  summary: 'Looks things up',
  description: '',
  group: 'Terminals',
  method: 'GET',
  path: '/things',
  query: { phoneNumber: resourceIdSchema, emailAddress: resourceIdSchema },
  status: 200,
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
    expect(read('?emailAddress=a+b+c')._unsafeUnwrap()).toEqual({
      query: { emailAddress: 'a b c' },
    });
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

describe('a row', () => {
  it('takes all but HTTP from the record of its operation', () => {
    expect(route('getTerminal', 'GET /terminals/{terminalId}')).toMatchObject({
      operation: 'getTerminal',
      method: 'GET',
      path: '/terminals/{terminalId}',
      status: 200,
      problems: ['forbidden', 'notFound'],
    });
  });

  it('does not compile if its path and the input have different ids', () => {
    // @ts-expect-error the path lacks the id
    route('getTerminal', 'GET /terminals');
    // @ts-expect-error the input has another id
    route('getTerminal', 'GET /terminals/{id}');
    // @ts-expect-error the input has no second id
    route('getTerminal', 'GET /shops/{shopId}/terminals/{terminalId}');
    const named = route('getTerminal', 'GET /terminals/{id}', { pathId: 'terminalId' });
    expect(named.pathId).toBe('terminalId');
  });
});
