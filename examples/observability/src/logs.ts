import type { Observation, Observer } from '@chairside/core';
import type { Level, Logger } from 'pino';

/** Writes a line for each observation. */
export function createLogObserver(logger: Logger): Observer {
  return (seen) => logger[levelOf(seen)](fieldsOf(seen), messageOf(seen));
}

/** Writes only the fields listed here, so that a new field of an observation cannot leak. */
function fieldsOf(seen: Observation): Record<string, unknown> {
  const { kind, outcome, requestId, startedAt, endedAt } = seen;
  return {
    kind,
    outcome,
    requestId,
    durationMs: endedAt - startedAt,
    ...(seen.kind === 'commit' ? { changes: seen.changes } : { name: seen.name }),
  };
}

function messageOf(seen: Observation): string {
  return `${seen.kind === 'commit' ? 'commit' : seen.name}: ${seen.outcome}`;
}

/** Failures need attention; a rejected request is normal. */
function levelOf({ kind, outcome }: Observation): Level {
  if (kind === 'failure' || outcome === 'internalError') return 'error';
  if (outcome === 'serviceUnavailable') return 'warn';
  return kind === 'operation' ? 'info' : 'debug';
}
