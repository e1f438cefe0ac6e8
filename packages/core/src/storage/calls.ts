import { err, errAsync, ok, type Result, ResultAsync } from '../domain/result.ts';
import type { Read, StoreUnavailable } from '../ports/store.ts';
import { storeUnavailable } from './outcome.ts';
import { createRunningCount } from './running-count.ts';

/** The calls of one store. They never throw, and `close` waits for those that run. */
export interface Calls {
  /** Makes a read. A thrown error or a rejection is reported and becomes `storeUnavailable`. */
  read<T>(find: () => T | Promise<T>): Read<T>;
  /** Makes a call that returns its own error. If it throws, the outcome is `unknown`. */
  run<T, E>(call: () => Promise<Result<T, E>>): ResultAsync<T, E | StoreUnavailable>;
  /** Refuses later calls, waits for the running ones, and then releases. A repeated call waits too. */
  close(letGo: () => void | Promise<void>): Promise<void>;
}

/** @param report must not throw. */
export function createCalls(report: (error: unknown) => void): Calls {
  const running = createRunningCount();
  let closing: Promise<void> | undefined;

  async function attempt<T, E>(
    call: () => Promise<Result<T, E>>,
    outcome: StoreUnavailable['outcome'],
  ): Promise<Result<T, E | StoreUnavailable>> {
    running.begin();
    try {
      return await call();
    } catch (error) {
      report(error);
      return err(storeUnavailable(outcome, error));
    } finally {
      running.end();
    }
  }

  return {
    read(find) {
      if (closing !== undefined) return errAsync(storeUnavailable('notApplied'));
      return new ResultAsync(attempt(async () => ok(await find()), 'notApplied'));
    },
    run(call) {
      if (closing !== undefined) return errAsync(storeUnavailable('notApplied'));
      return new ResultAsync(attempt(call, 'unknown'));
    },
    close(letGo) {
      closing ??= running.ended().then(letGo).catch(report);
      return closing;
    },
  };
}
