import type { Books } from './books.ts';
import { accountEndpoints } from './endpoints/accounts.ts';
import { customerEndpoints } from './endpoints/customers.ts';
import { intentEndpoints } from './endpoints/intents.ts';
import { setupEndpoints } from './endpoints/setups.ts';
import { terminalEndpoints } from './endpoints/terminal.ts';
import type { Route } from './params.ts';
import type { Replies } from './replies.ts';
import type { Reply } from './reply.ts';
import type { StandInRequest } from './request.ts';

export type Endpoints = {
  readonly [R in Route]: (books: Books, request: StandInRequest) => Reply<Replies[R]>;
};

/** The effect of each call after authentication. */
export const endpoints: Endpoints = {
  ...intentEndpoints,
  ...terminalEndpoints,
  ...setupEndpoints,
  ...customerEndpoints,
  ...accountEndpoints,
};
