import type { StandInSwitches } from './books.ts';
import { failed, missing, type Reply } from './reply.ts';

/** Stripe's rejection of an account that the platform's key does not reach. */
export function noAccess({ unknownAccount }: StandInSwitches, id: string): Reply<never> {
  if (unknownAccount === 404) return missing('account', id, 'account');
  return failed(403, {
    type: 'invalid_request_error',
    code: 'account_invalid',
    message: 'The provided key does not have access to that account, or it does not exist.',
  });
}
