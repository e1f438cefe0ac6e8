import type { CommonProblem, ProblemType } from '@chairside/core';
import type { Parser } from './parse.ts';

export interface Operation<T, P extends ProblemType> {
  /** Method and path. `{name}` is replaced by the input's member of that name. */
  readonly route: string;
  readonly answer: Parser<T>;
  /** The problem types of its row in the interface's error table. */
  readonly problems: readonly P[];
}

export function operation<T, const P extends ProblemType>(
  route: string,
  answer: Parser<T>,
  ...problems: readonly P[]
): Operation<T, P | CommonProblem> {
  return {
    route,
    answer,
    problems: [
      ...problems,
      'unauthorized',
      'tooManyRequests',
      'internalError',
      'serviceUnavailable',
    ],
  };
}
