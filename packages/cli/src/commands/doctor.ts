import { err, ok } from '@chairside/core';
import { type Context, command } from '../command.ts';
import { checkClock, checkStore, checkWorld } from '../doctor/database.ts';
import type { Finding } from '../doctor/finding.ts';
import { checkProcessor } from '../doctor/processor.ts';
import { checkRestored } from '../doctor/restored.ts';
import { checkEvents, checkReviews, checkUpkeep, checkWork } from '../doctor/work.ts';
import { type Cell, col, type Screen, wide } from '../screen.ts';

export const doctor = command({
  name: 'doctor',
  summary: 'looks whether something is wrong, and says what to do',
  async run(context) {
    const stored = await context.during('asking the database', checkStore(context));
    // Everything else is read from the database.
    if (stored.isErr()) return err(stored.error);
    const findings = [...stored.value, ...(await rest(context)), ...faultsOf(context)];
    const worst = findings.map(({ level }) => level);
    return ok({
      document: { findings },
      needsPerson: worst.includes('error'),
      draw(screen: Screen) {
        const rows = findings.flatMap(({ level, about, found, action }) => [
          { mark: marks[level], about, found: { ...marks[level], text: found } },
          ...(action === undefined ? [] : [{ found: `→ ${action}` }]),
        ]);
        screen.table(rows, [
          col('', ({ mark }) => mark),
          wide('Looked at', ({ about }) => about),
          wide('Found', ({ found }) => found),
        ]);
        const errors = worst.filter((level) => level === 'error').length;
        const warnings = worst.filter((level) => level === 'warning').length;
        screen.part(summaryOf(errors, warnings));
      },
    });
  },
});

const marks: Readonly<Record<Finding['level'], Cell>> = {
  ok: { text: 'ok' },
  warning: { text: 'warning', tone: 'warning' },
  error: { text: 'error', tone: 'bad' },
};

function summaryOf(errors: number, warnings: number): string {
  if (errors > 0) return `${errors} of these need a person.`;
  return warnings > 0 ? `No error, and ${warnings} to keep an eye on.` : 'All is well.';
}

function faultsOf({ opened: { faults = new Set() } }: Context): readonly Finding[] {
  const action = 'Another program changed the row. Compare it with a backup.';
  return [...faults].map((found) => ({ level: 'error', about: 'Row', found, action }));
}

async function rest(context: Context): Promise<readonly Finding[]> {
  const found = [
    await context.during('asking the database', checkWorld(context)),
    await context.during('comparing the clocks', checkClock(context)),
    await context.during('asking the processor', checkProcessor(context)),
    ...(await context.during(
      'reading what is unfinished',
      Promise.all([
        checkRestored(context),
        checkUpkeep(context),
        checkWork(context),
        checkEvents(context),
        checkReviews(context),
      ]),
    )),
  ];
  return found.flat();
}
