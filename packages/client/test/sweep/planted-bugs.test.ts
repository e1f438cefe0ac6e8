import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, expect, it } from 'vitest';
import type { SweptCard } from './cards.ts';
import { countOverlaps } from './two-collects.ts';

// Each bug is planted into a copy of the sources, and its run of the sweep has to find it.

interface Bug {
  readonly name: string;
  readonly file: string;
  readonly right: string;
  readonly wrong: string;
}

/** A bug, with the row of the sweep that reveals it, and the fault of its first run. */
interface SweptBug extends Bug {
  readonly card: SweptCard;
  readonly kind: string;
  readonly fault: string;
}

const bugs: readonly SweptBug[] = [
  {
    name: 'begins anew after a restart, under new keys',
    file: 'register.ts',
    right: "const first = note === 'none' ? begin(client, input) : note;",
    wrong:
      'const first = begin(client, input); await notes.remove(input.appointmentId); if (note !== "none") await notes.write(first);',
    card: 'visa_credit',
    kind: 'killed at every await',
    fault: 'needless card',
  },
  {
    name: 'believes a decline of the reader',
    file: 'presenting.ts',
    right: "return { entry: { ...withReport(till, entry), state: 'capturing' } };",
    wrong:
      "if (memory.report && !isRead(memory.report)) return { end: canceled('stopped') }; return { entry: { ...withReport(till, entry), state: 'capturing' } };",
    card: 'visa_credit',
    kind: 'the reader denies the card',
    fault: 'needless card',
  },
  {
    name: 'reads a card without writing it down',
    file: 'register.ts',
    right: 'if (!(await notes.write(next.entry, entry))) {',
    wrong:
      "if (next.entry.state !== 'presenting' && next.entry.state !== 'capturing' && !(await notes.write(next.entry, entry))) {",
    card: 'visa_credit',
    kind: 'undisturbed',
    fault: 'a note is left',
  },
  {
    name: 'asks for another card before it asks the server',
    file: 'presenting.ts',
    right: "return { entry: { ...withReport(till, entry), state: 'capturing' } };",
    wrong:
      "return { entry: intent ? { ...withReport(till, entry), state: 'capturing' } : { ...entry, state: 'opened', reference: undefined } };",
    card: 'visa_credit',
    kind: 'killed at every await',
    fault: 'needless card',
  },
  {
    name: 'takes a lost answer for a refusal',
    file: 'conclude.ts',
    right: "if (recovery.outcome === 'unknown') return unknown(problem);",
    wrong:
      "if (recovery.outcome === 'unknown') return { step: 'declined', charged: 'no', keep: true, problem };",
    card: 'visa_credit',
    kind: 'every answer lost from one on',
    fault: 'untrue: the screen said declined, charged no',
  },
  {
    name: 'asks for another card while one is processed',
    file: 'capturing.ts',
    right: "const isProcessing = seen.value.state === 'processing';",
    wrong: "if (seen.value.state === 'processing') break; const isProcessing = false;",
    card: 'slow_to_approve',
    kind: 'killed at every await',
    fault: 'needless card',
  },
  {
    name: 'forgets the payment before its outcome is known',
    file: 'register.ts',
    right: 'await (end.keep ? notes.write(left, entry) : notes.end(entry));',
    wrong: 'await notes.end(entry);',
    card: 'declined_then_approved',
    kind: 'undisturbed',
    fault: 'lost: ',
  },
  {
    name: 'says "not charged" of an appointment that it charged itself',
    file: 'register.ts',
    right: 'if (last === undefined) return end;',
    wrong: "return { ...end, charged: 'no' };",
    card: 'visa_credit',
    kind: 'killed at every await',
    fault: 'untrue: the screen said canceled, charged no',
  },
  {
    name: 'says "paid" because the reader approved the card',
    file: 'capturing.ts',
    right: 'till.show(step, entry);',
    wrong: 'if (wasRead) return { end: captured };',
    card: 'visa_credit',
    kind: 'undisturbed',
    fault: 'untrue: the screen said captured, charged yes',
  },
  {
    name: 'says "paid" by a payment that was not captured',
    file: 'register.ts',
    right: "filter(({ state }) => state === 'captured')",
    wrong: "filter(({ state }) => state !== 'created')",
    card: 'expires_soon',
    kind: 'killed at every await',
    fault: 'untrue: the screen said canceled, charged yes',
  },
  {
    name: 'says "not charged" while another person has charged the appointment',
    file: 'register.ts',
    right: "!(keep || step === 'captured' || reason === 'stopped')",
    wrong: "(step === 'canceled' && reason !== 'stopped')",
    card: 'partially_authorized',
    kind: 'another person on the phone',
    fault: 'untrue: the screen said declined, charged no',
  },
  {
    name: 'writes over a note without reading it',
    file: 'journal.ts',
    right:
      "return typeof note === 'object' && note.createKey === createKey && note.state === state;",
    wrong: 'return true;',
    card: 'visa_credit',
    kind: 'a stale read',
    fault: 'needless card',
  },
  {
    name: 'gives up a card after a day',
    file: 'register.ts',
    right: 'return capture(till, entry);',
    wrong: 'return ageMs > 24 * 60 * 60_000 ? expired : capture(till, entry);',
    card: 'visa_credit',
    kind: 'a clock two days ahead',
    fault: 'needless card',
  },
  {
    name: 'forgets the tip when it is killed',
    file: 'journal.ts',
    right: 'tip: text',
    wrong: 'tip: () => undefined',
    card: 'visa_credit',
    kind: 'with a tip',
    fault: 'tip: 45 of 50',
  },
  {
    name: 'forgets the other visits when it is killed',
    file: 'journal.ts',
    right: 'alsoPays: list(object({ appointmentId: text, amount: text }))',
    wrong: 'alsoPays: () => undefined',
    card: 'visa_credit',
    kind: 'for two visits',
    fault: 'other visits: 45 of 65',
  },
];
const folder = mkdtempSync(join(import.meta.dirname, '../.planted-'));
afterAll(() => rmSync(folder, { recursive: true }));
let planted = 0;

/** Bundles `entry` with the bug, and imports it. */
async function plant<T>(bug: Bug, entry: string): Promise<T> {
  planted += 1;
  const outfile = join(folder, `${planted}.mjs`);
  let isPlanted = false;
  await build({
    entryPoints: [join(import.meta.dirname, entry)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    plugins: [
      {
        name: 'plant',
        setup({ onLoad }) {
          onLoad({ filter: /src\/[\w-]+\.ts$/ }, ({ path }) => {
            const source = readFileSync(path, 'utf8');
            if (basename(path) !== bug.file) return { contents: source, loader: 'ts' };
            isPlanted = source.includes(bug.right);
            return { contents: source.replace(bug.right, bug.wrong), loader: 'ts' };
          });
        },
      },
    ],
  });
  expect(isPlanted, `${bug.file} no longer reads: ${bug.right}`).toBe(true);
  return import(outfile);
}

it.each(bugs)('finds an app that $name', async (bug) => {
  const { sweep } = await plant<typeof import('./sweep.ts')>(bug, 'sweep.ts');
  const { card, kind } = bug;
  const extent = { pairStep: 50, cards: [card], kind, isShort: true };
  const faults: string[] = [];
  for await (const row of sweep('fake processor', extent)) faults.push(...row.faults);
  expect(faults[0]).toContain(`: ${bug.fault}`);
});

it('finds an app that begins a second collect beside one that hangs', async () => {
  const bug: Bug = {
    name: 'begins a second collect beside one that hangs',
    file: 'register.ts',
    right: 'sheet = mine;',
    wrong: '',
  };
  expect(await countOverlaps()).toBe(0);
  const { countOverlaps: withBug } = await plant<typeof import('./two-collects.ts')>(
    bug,
    'two-collects.ts',
  );
  expect(await withBug()).toBe(1);
});

const believing = {
  file: 'presenting.ts',
  right: "return { entry: { ...withReport(till, entry), state: 'capturing' } };",
};

it('finds an app that believes the reader after Stop', async () => {
  const bug: Bug = {
    ...believing,
    name: 'believes the reader after Stop',
    wrong: `if (stop.aborted && !isRead(memory.report)) return { end: canceled('stopped') }; ${believing.right}`,
  };
  const { sweepStops } = await plant<typeof import('./stops.ts')>(bug, 'stops.ts');
  const faults: string[] = [];
  for await (const row of sweepStops(200)) faults.push(...row.faults);
  for (const ending of ['canceled', 'never']) {
    expect(faults.join('\n')).toContain(`Stop around the tap, {"ending":"${ending}"`);
  }
  expect(faults.join('\n')).toContain('dropped: authorized');
  expect(faults.join('\n')).toContain('untrue: canceled stopped, charged no');
});

it('finds an app that believes a reader that says canceled', async () => {
  const bug: Bug = {
    ...believing,
    name: 'believes a reader that says canceled',
    wrong: `if (memory.report?.said === 'canceled') return { end: canceled('sheetClosed') }; ${believing.right}`,
  };
  const { sweepStops } = await plant<typeof import('./stops.ts')>(bug, 'stops.ts');
  const faults: string[] = [];
  for await (const row of sweepStops(200)) faults.push(...row.faults);
  expect(faults.join('\n')).toMatch(
    /every call of the SDK, {"ending":"canceled".*dropped: authorized/,
  );
});
