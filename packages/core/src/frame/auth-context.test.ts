import { describe, expect, it } from 'vitest';
import { testPorts } from '../../test/ports.ts';
import { getTerminal, problem } from '../../test/support.ts';
import type { AuthContext } from '../ports/ports.ts';
import { isAuthContext, toCall } from './access.ts';
import { perform } from './perform.ts';

const all: AuthContext = {
  subject: 'user-1',
  barberId: 'barber-1',
  customerId: 'customer-1',
  businessIds: ['business-1'],
  systemAdministrator: true,
  entitlements: ['contactlessPayments'],
};

const wrong = [
  { subject: '' },
  { subject: 7 },
  { subject: '\ud800' },
  { subject: 'x'.repeat(256) },
  { barberId: 7 },
  { customerId: null },
  { businessIds: 'business-10' },
  { businessIds: [7] },
  { systemAdministrator: 'no' },
  { entitlements: 'noncontactlessPayments' },
].map((over) => ({ ...all, ...over })) as unknown as AuthContext[]; // cast: as hosts without types do

describe('an auth context', () => {
  it('has all its members, or only the subject', () => {
    expect(isAuthContext(all)).toBe(true);
    expect(isAuthContext({ subject: 'user-1' })).toBe(true);
    expect(isAuthContext({ subject: '😀'.repeat(255) })).toBe(true);
  });

  it('may carry further members of its host', () => {
    const claims = { ...all, auth: 'password', facts: {} };
    expect(toCall(claims).auth).toBe(claims);
  });

  it.each(wrong)('is not %j: such a value admits no caller', async (auth) => {
    expect(isAuthContext(auth)).toBe(false);
    const never = () => expect.unreachable();
    const refused = problem(await perform(testPorts().ports, getTerminal, auth, never));
    expect(refused).toMatchObject({
      type: 'internalError',
      recovery: { outcome: 'notApplied', retry: 'doNotRetry' },
    });
  });
});
