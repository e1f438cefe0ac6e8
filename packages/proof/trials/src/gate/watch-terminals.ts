import type { Commit } from '@chairside/core/ports';
import type { Gate } from './gate.ts';

/** Follows the terminals: at most one has a device at a time (D6). */
export function watchTerminalWrites(
  { evidence, scheduler }: Gate,
  action: number,
  { changes }: Commit,
): void {
  const { terminals, faults } = evidence;
  for (const change of changes) {
    if (change.kind === 'insertTerminal') {
      const { terminal } = change;
      const { id, deviceIdentifier } = terminal;
      for (const other of terminals.values()) {
        if (other.gone !== undefined || other.terminal.deviceIdentifier !== deviceIdentifier)
          continue;
        const what = `${deviceIdentifier} is registered as ${other.terminal.id} and as ${id}`;
        faults.push({ rule: 'terminals', what });
      }
      terminals.set(id, { terminal, action, registered: scheduler.nextMoment() });
    }
    if (change.kind === 'deleteTerminal') {
      const trail = terminals.get(change.id);
      if (trail !== undefined) trail.gone = { moment: scheduler.nextMoment(), action };
    }
  }
}
