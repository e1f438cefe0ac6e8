import { randomUUID } from 'node:crypto';
import { type ConnectionTokenRequest, err, ok, type ResultAsync, safeTry } from '@chairside/core';
import { orNotSetUp } from './account.ts';
import { type Call, scopeOf } from './connection.ts';
import { type Failure, unknown } from './failure.ts';
import { believe, tokenShape } from './shapes.ts';

/** Creates a connection token, for the readers of one location if the business names one. */
export function createConnectionToken(
  call: Call,
  { account, terminalLocation: location }: ConnectionTokenRequest,
): ResultAsync<{ readonly clientSecret: string }, Failure> {
  return safeTry(async function* () {
    const scope = yield* scopeOf(call, account);
    const params = location === undefined ? {} : { location };
    const reply = yield* call
      .send((stripe, options) => stripe.terminal.connectionTokens.create(params, options), {
        ...scope,
        // Each call makes a new token (D24), so it needs a new key.
        idempotencyKey: `token:${randomUUID()}`,
      })
      .orElse((failure) => orNotSetUp(call, account, failure));
    return believe(tokenShape, reply).andThen(({ secret }) =>
      // A token shows its mode only by its prefix.
      secret.startsWith('pst_test') && call.livemode ? err(unknown) : ok({ clientSecret: secret }),
    );
  });
}
