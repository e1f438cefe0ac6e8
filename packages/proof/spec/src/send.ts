import type { Answer } from './answer.ts';
import type { Request, SpecOperation } from './operations.ts';
import type { Person } from './people.ts';

/** Sends a request as a given person. */
export type Send = (
  operation: SpecOperation,
  as: Person | 'nobody' | 'badToken',
  request?: Request,
) => Promise<Answer>;
