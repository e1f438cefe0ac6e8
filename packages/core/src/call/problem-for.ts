import {
  type Fault,
  internalError,
  type Problem,
  type ProblemType,
  toProblem,
} from '../domain/problem.ts';
import { systemClock } from '../ports/clock.ts';
import { createIds, webRandom } from '../ports/ids.ts';
import type { Ports } from '../ports/ports.ts';
import type { Call } from './call.ts';

/** Longer instances are left out, and so are relative ones (D29). */
const maxInstanceLength = 2048;

/**
 * Makes a fault the problem of this call, at the end of the call or earlier, to be stored under a
 * key.
 */
export function problemFor<T extends ProblemType>(
  ports: Ports,
  call: Call,
  fault: Fault<T>,
): Problem<T> {
  const { instance } = call;
  return toProblem(fault, {
    newId: () => ports.ids.next('prb'),
    at: ports.clock.now(),
    ...(instance !== undefined && canBeInstance(instance) && { instance }),
  });
}

const absolute = /^[a-z][a-z\d+.-]*:\/\//i;

function canBeInstance(uri: string): boolean {
  return uri.length <= maxInstanceLength && absolute.test(uri);
}

export function lastResort(): Problem {
  const ids = createIds(systemClock, webRandom);
  return toProblem(internalError(), { newId: () => ids.next('prb'), at: systemClock.now() });
}
