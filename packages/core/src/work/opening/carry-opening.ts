import { err, type Result } from '../../domain/result.ts';
import type { ProcessorError } from '../../ports/processor-calls.ts';
import { decideOpening, type OpeningEnd, type OpeningSeen } from './decide-opening.ts';

/** How records of one type are opened at the processor. `R` is a record that this call holds. */
export interface Openable<R, O, Done, E> {
  /** Whether the record's lifetime has passed. */
  readonly isOver: () => boolean;
  /** Renews the lease for one more call. */
  readonly hold: (record: R) => Promise<Result<R, E>>;
  readonly send: (record: R) => Promise<Result<O, ProcessorError>>;
  readonly read: (record: R) => Promise<Result<O | undefined, ProcessorError>>;
  /** Commits the end and returns the response. */
  readonly end: (record: R, end: OpeningEnd<O>) => Promise<Result<Done, E>>;
}

/**
 * Finishes an opening that this call holds: calls the processor, decides, commits. The lease covers one
 * call, so it is renewed before each further one.
 */
export async function carryOpening<R, O, Done, E>(
  kind: Openable<R, O, Done, E>,
  record: R,
  known: Pick<OpeningSeen<O>, 'isFirstCall' | 'before'>,
): Promise<Result<Done, E>> {
  let seen: Omit<OpeningSeen<O>, 'isOver'> = known;
  let held = record;
  for (;;) {
    // Measured anew before each step, because the process may have been stopped for days.
    const decided = decideOpening({ ...seen, isOver: kind.isOver() });
    switch (decided.next) {
      case 'readBefore': {
        const before = await kind.read(held);
        const kept = await kind.hold(held);
        if (kept.isErr()) return err(kept.error);
        held = kept.value;
        seen = { ...seen, before };
        break;
      }
      case 'send':
        seen = { ...seen, sent: await kind.send(held) };
        break;
      case 'readAfter': {
        const kept = await kind.hold(held);
        if (kept.isErr()) return err(kept.error);
        held = kept.value;
        seen = { ...seen, after: await kind.read(held) };
        break;
      }
      default:
        return kind.end(held, decided);
    }
  }
}
