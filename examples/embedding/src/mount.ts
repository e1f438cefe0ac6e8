import type { AuthContext, Chairside } from '@chairside/core';
import { chairsideHandler } from '@chairside/h3';
import { H3 } from 'h3';
import { login } from './records.ts';

/** A shop's own app with card payments under `/payments`. */
export function shopApp(chairside: Chairside): H3 {
  // Otherwise h3 itself rejects `/%zz`, also outside `/payments`.
  const host = new H3({ allowMalformedURL: true });
  host.get('/', () => 'Marlow & Sons, barbers');

  const payments = chairsideHandler(chairside, {
    authenticate,
    publicUrl: 'https://shop.example',
    basePath: '/payments',
  });
  // `payments.fetch`, not `payments`, so that it keeps its own error responses.
  host.mount('/payments', payments.fetch);
  return host;
}

/** A real host asks its sessions or its identity provider. */
function authenticate(token: string): AuthContext | undefined {
  return token === 'session-of-ada' ? login : undefined;
}
