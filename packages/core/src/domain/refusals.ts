import type { JsonObject } from './json.ts';
import { type Fault, fault } from './problem.ts';
import type { ReasonOf } from './reasons.ts';

// Two faults that many rules use.

/** A 409 with its reason. */
export function conflict(
  reason: ReasonOf<'conflict'>,
  detail: string,
  more: JsonObject = {},
): Fault<'conflict'> {
  return fault('conflict', detail, { attributes: { reason, ...more } });
}

/** A 422 for one part of the request. */
export function unfit(pointer: string, detail: string): Fault<'unprocessableEntity'> {
  return fault('unprocessableEntity', detail, { attributes: { pointer } });
}
