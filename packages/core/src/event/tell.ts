import { subjectOf } from '../frame/commit.ts';
import type { Ports } from '../ports/ports.ts';
import type { StoreUnavailable } from '../ports/store.ts';
import type { Result } from '../values/result.ts';
import type { DomainEvent } from './event.ts';
import { actorIn, type CloudEvent, toCloudEvent } from './wire.ts';

/** The event as the host gets it: with the name of the one who did it, as long as there is one. */
export async function toTell(
  ports: Ports,
  event: DomainEvent,
): Promise<Result<CloudEvent, StoreUnavailable>> {
  const subject = await subjectOf(ports, actorIn(event)?.actor);
  return subject.map((name) => toCloudEvent(ports.installation, event, name));
}
