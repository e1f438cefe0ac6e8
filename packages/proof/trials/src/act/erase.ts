import type { ErasedCustomer } from '@chairside/core';
import { type Run, upkeepAction } from './run.ts';
import { erasureOf } from './shop.ts';
import { note } from './upkeep.ts';

/** The host erases every customer, and all appointments (D47). */
export async function eraseEveryone(run: Run): Promise<readonly ErasedCustomer[]> {
  run.evidence.erasing.add(upkeepAction);
  const erased: ErasedCustomer[] = [];
  for (let customer = 0; customer < customers; customer += 1) {
    const { chairside, answer } = run.serve(upkeepAction);
    const { customerId, appointmentIds } = erasureOf(run.plan, customer);
    // Its erasure is that of the customer that it is now.
    if (run.evidence.merged.has(customerId)) continue;
    // Appointments are no customer's here: once is enough.
    const all = erased.length === 0 ? { customerId, appointmentIds } : { customerId };
    const done = answer(chairside.eraseCustomer(all));
    await run.scheduler.runToEnd(done);
    const result = await done;
    if (result?.isOk()) erased.push(result.value);
    if (result?.isErr()) note(run, result.error);
  }
  return erased;
}

/** As many as any plan has. */
const customers = 5;
