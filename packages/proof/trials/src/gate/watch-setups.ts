import type { Result } from '@chairside/core';
import {
  type Commit,
  keyRetentionMs,
  type MethodSetup,
  type OpenSetupRequest,
  type ProcessorError,
  type ProcessorSetup,
  setupLifetimeMs,
} from '@chairside/core/ports';
import { type Gate, type Task, watchTakeOver } from './gate.ts';

export function noteSetup(
  { evidence, scheduler }: Gate,
  { action }: Task,
  setup: MethodSetup,
  { changes }: Commit,
): void {
  const keys = changes.flatMap((one) => (one.kind === 'insertKey' ? [one.record] : []));
  const claim = keys.find(({ resourceId }) => resourceId === setup.id);
  evidence.setups.set(setup.id, {
    action,
    begun: scheduler.nextMoment(),
    stored: setup,
    openings: [],
    openedAt: [],
    looks: new Map(),
    ...(claim !== undefined && { claim }),
  });
}

export function updateSetup(gate: Gate, task: Task, written: MethodSetup, at: number): void {
  const { evidence, scheduler } = gate;
  const trail = evidence.setups.get(written.id);
  if (trail === undefined) return;
  const { id, clientSecret, reference, outcome, expiresAt } = trail.stored;
  // A completed setup is kept for charges (D49); its keys and its secret are forgotten in time.
  const isKept =
    outcome === 'completed' && written.clientSecret === '' && at >= expiresAt + keyRetentionMs;
  const after = isKept && clientSecret !== undefined ? { ...written, clientSecret } : written;
  if (isKept) trail.isOld = true;
  watchTakeOver(gate, trail.stored, after);
  if (clientSecret !== undefined) {
    // From then on only the outcome is decided, once (D41).
    const isSame = after.clientSecret === clientSecret && after.reference === reference;
    if (!isSame || (outcome !== undefined && after.outcome !== outcome)) {
      evidence.faults.push({ rule: 'durable', what: `${id} was opened, and then changed` });
    }
  }
  trail.stored = after;
  if (after.clientSecret !== undefined) trail.recorded ??= scheduler.nextMoment();
  else if (after.work === undefined) {
    // A session that opens after the last read could not be known.
    trail.closed = trail.looks.get(task.action) ?? scheduler.nextMoment();
    trail.closedAt = scheduler.clock.now();
  }
}

/** A setup is deleted after the retention of its keys, or with proof that it was never opened. */
export function deleteSetup(
  { evidence, scheduler }: Gate,
  { action }: Task,
  id: string,
  at: number,
): void {
  const trail = evidence.setups.get(id);
  if (trail === undefined) return;
  const { stored, openings, looks } = trail;
  trail.deleted = scheduler.nextMoment();
  const isErased = evidence.erasing.has(action);
  if (isErased && stored.outcome === undefined && stored.clientSecret !== undefined) {
    evidence.faults.push({ rule: 'erased', what: `${stored.id} was erased while it was open` });
  }
  const { expiresAt } = stored;
  const { closedAt = expiresAt } = trail;
  if (isErased || at >= Math.min(expiresAt, closedAt) + keyRetentionMs) {
    trail.isOld = true;
    return;
  }
  if (stored.work === undefined) {
    evidence.faults.push({ rule: 'durable', what: `${stored.id} was forgotten too early` });
  }
  // The task could not know of a session that was opened after its last read.
  const lastLook = looks.get(action) ?? Number.POSITIVE_INFINITY;
  if (openings.some((moment) => moment <= lastLook)) {
    evidence.faults.push({ rule: 'truthful', what: `${stored.id} was opened, and withdrawn` });
  }
}

/** Checks when the core makes the call, which may arrive much later. */
export function watchSetupCall({ evidence, scheduler }: Gate, request: OpenSetupRequest): void {
  const { setupId, begunAt } = request;
  if (!evidence.setups.has(setupId)) {
    const what = `${setupId} was sent to the processor before it was written`;
    evidence.faults.push({ rule: 'calls', what });
  }
  const lateMs = scheduler.clock.now() - begunAt;
  if (lateMs >= setupLifetimeMs) {
    const what = `${setupId} was newly opened after ${lateMs} ms`;
    evidence.faults.push({ rule: 'calls', what });
  }
}

/** Makes the call, and records whether it opened a session. */
export async function watchSetupOpening(
  gate: Gate,
  action: number,
  request: OpenSetupRequest,
): Promise<Result<ProcessorSetup, ProcessorError>> {
  const { processor } = gate.world();
  const before = (await processor.setups()).length;
  const opened = await processor.openSetup(request);
  const moment = gate.scheduler.nextMoment();
  const trail = gate.evidence.setups.get(request.setupId);
  trail?.looks.set(action, moment);
  if ((await processor.setups()).length > before) {
    trail?.openings.push(moment);
    trail?.openedAt.push(gate.scheduler.clock.now());
  }
  return opened;
}

export function watchSetupLook(gate: Gate, action: number, setupId: string): void {
  gate.evidence.setups.get(setupId)?.looks.set(action, gate.scheduler.nextMoment());
}
