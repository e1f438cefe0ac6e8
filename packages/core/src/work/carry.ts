import type { Work } from '../domain/payment.ts';
import { err, type Result } from '../domain/result.ts';
import type { Ports } from '../ports/ports.ts';
import type { CommitError, StoreConflict } from '../ports/store.ts';
import type { Running } from './faults.ts';
import { isRunningOut, renewed, takeOverFrom } from './lease.ts';

// Work at the processor: a call takes a record over, carries the work, and commits its end.

export type Written<T, E = never> = Promise<Result<T, E | CommitError>>;

/** Writes that this call holds the record until the lease of this work ends. */
type Hold<R, Held> = (ports: Ports, record: R, work: Work) => Written<Held>;

/** The claim of a key was withdrawn between two reads, so the key is new again and the run restarts. */
export const claimWithdrawn: StoreConflict = { kind: 'storeConflict', change: 'insertKey' };

/** Takes over a record's interrupted work; 409 running if its holder is alive (D19). */
export async function takeOver<R, Held>(
  ports: Ports,
  record: R,
  before: Work,
  hold: Hold<R, Held>,
): Written<Held, Running> {
  const taken = takeOverFrom(ports, before);
  return taken.isOk() ? hold(ports, record, taken.value) : err(taken.error);
}

/** How work of one kind is carried. `Next` is a decision: the name of a step, or an end. */
export interface Course<R, Seen, Next, Step extends string, Done, E> {
  /** Decides the next step or the end, from what is known. */
  readonly decide: (held: R, seen: Seen) => Next;
  /** The steps by their names. Each returns the facts that it learned. */
  readonly steps: { readonly [S in Step]: (held: R) => Promise<Partial<Seen>> };
  /** The step that must directly follow the one before, without a renewal of the lease between. */
  readonly direct?: NoInfer<Step>;
  readonly hold: Hold<R, R>;
  /** Commits the end and returns the response. */
  readonly end: (
    held: R,
    end: Exclude<Next, { readonly next: NoInfer<Step> }>,
  ) => Promise<Result<Done, E>>;
}

/**
 * Carries work that this call holds to its end: decides, takes the step, and decides again. The lease
 * covers one processor call, so it is renewed before a step if much of it is used up.
 */
export async function carry<
  R extends { readonly work: Work },
  Seen,
  Next extends { readonly next: string },
  Step extends string,
  Done,
  E,
>(
  ports: Ports,
  record: R,
  known: Seen,
  { decide, steps, direct, hold, end }: Course<R, Seen, Next, Step, Done, E>,
): Written<Done, E> {
  const isStep = (decided: Next): decided is Next & { readonly next: Step } =>
    decided.next in steps;
  let held = record;
  let seen = known;
  let isRenewed = false;
  for (;;) {
    const decided = decide(held, seen);
    // cast: a decision that names no step is an end
    if (!isStep(decided)) return end(held, decided as Exclude<Next, { readonly next: Step }>);
    if (!isRenewed && decided.next !== direct && isRunningOut(ports, held.work)) {
      const kept = await hold(ports, held, renewed(ports, held.work));
      if (kept.isErr()) return err(kept.error);
      held = kept.value;
      // Decides anew, because the write may have taken long.
      isRenewed = true;
      continue;
    }
    isRenewed = false;
    seen = { ...seen, ...(await steps[decided.next](held)) };
  }
}
