import type { AuthContext, Chairside } from '@chairside/core';
import { chairsideHandler } from '@chairside/h3';
import { H3 } from 'h3';
import { login } from './records.ts';

/** A shop's own app, which takes card payments under `/payments`. */
export function shopApp(chairside: Chairside): H3 {
  // Else h3 itself refuses `/%zz`, whoever the path belongs to.
  const host = new H3({ allowMalformedURL: true });
  host.get('/', () => 'Marlow & Sons, barbers');

  const payments = chairsideHandler(chairside, {
    authenticate,
    publicUrl: 'https://shop.example',
    basePath: '/payments',
  });
  // `payments.fetch`, not `payments`: so it keeps answering its own errors.
  host.mount('/payments', payments.fetch);
  return host;
}

/** A host asks its sessions, or whoever signs its tokens. */
function authenticate(token: string): AuthContext | undefined {
  return token === 'session-of-ada' ? login : undefined;
}
