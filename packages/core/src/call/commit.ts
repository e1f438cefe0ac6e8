import { ok, type Result } from '../domain/result.ts';
import type { Change } from '../ports/change.ts';
import type { Ports } from '../ports/ports.ts';
import type { CommitError } from '../ports/store.ts';
import { report } from './report.ts';

/**
 * Writes all changes or none. If the store cannot tell whether it did, this reads the commit's id
 * back (D22). The outcome stays `unknown` only if that read fails or does not find the id.
 */
export async function commit(
  ports: Ports,
  changes: readonly Change[],
): Promise<Result<void, CommitError>> {
  const at = ports.clock.now();
  const id = ports.ids.next('cmt');
  let result = await ports.store.commit({ id, at, changes });
  if (result.isErr() && 'outcome' in result.error && result.error.outcome === 'unknown') {
    const written = await ports.store.wasCommitted(id);
    if (written.isOk() && written.value) result = ok();
  }
  if (ports.observe !== undefined) {
    const outcome = result.isOk() ? 'ok' : result.error.kind;
    report(ports, { kind: 'commit', changes: changes.map(({ kind }) => kind), outcome }, at);
  }
  return result;
}
