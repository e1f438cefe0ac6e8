import {
  type AuthContext,
  type Call,
  type Chairside,
  type NestedProblem,
  type Problem,
  retryAfterSeconds,
} from '@chairside/core';
import { expect } from 'vitest';
import { problemBase } from './answer.ts';
import { operations } from './operations.ts';
import type { Send } from './send.ts';

/** Drives the use cases directly. */
export async function inProcessClient(
  chairside: Chairside,
  authContextOf: (person: string) => AuthContext | undefined,
): Promise<{ send: Send; close: () => Promise<void> }> {
  const send: Send = async (name, as, request = {}) => {
    const operation = operations[name];
    const call: Call = {
      auth: as === 'badToken' ? 'rejectedToken' : authContextOf(as),
      facts: {},
    };
    const result = await operation.inProcess(chairside, call, request);
    const { replayed = false } = call.facts;
    if (result.isErr()) {
      const { error } = result;
      const text = JSON.stringify(onTheWire(error));
      return { status: error.status, text, replayed, retryAfter: retryAfterSeconds(error) };
    }
    if (result.value === undefined) {
      return { status: operation.success, text: '', replayed, retryAfter: undefined };
    }
    const text = JSON.stringify(result.value);
    // A member without a value is left out, and not `undefined`.
    expect(result.value).toStrictEqual(JSON.parse(text));
    return { status: operation.success, text, replayed, retryAfter: undefined };
  };
  return { send, close: async () => {} };
}

function onTheWire(problem: Problem) {
  const typed = <P extends NestedProblem>(one: P) => ({
    ...one,
    type: `${problemBase}/problems/${one.type}`,
  });
  const { problems } = problem;
  return { ...typed(problem), ...(problems !== undefined && { problems: problems.map(typed) }) };
}
