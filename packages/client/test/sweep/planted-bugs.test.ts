import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, expect, it } from 'vitest';
import type { SweptCard } from './cards.ts';
import { countOverlaps } from './two-collects.ts';

// Each bug is planted into a copy of the sources, and the sweep has to find it.

interface Bug {
  readonly name: string;
  readonly file: string;
  readonly right: string;
  readonly wrong: string;
}

/** A bug, and the card whose sweep reveals it. */
interface SweptBug extends Bug {
  readonly card: SweptCard;
}

const bugs: readonly SweptBug[] = [
  {
    name: 'begins anew after a restart, under new keys',
    file: 'register.ts',
    right: "const first = note === 'none' ? begin(input) : note;",
    wrong:
      'const first = begin(input); await notes.remove(input.appointmentId); if (note !== "none") await notes.write(first);',
    card: 'visa_credit',
  },
  {
    name: 'believes a decline of the reader',
    file: 'presenting.ts',
    right: "if (stop.aborted && !isRead(memory.said)) return { end: canceled('stopped') };",
    wrong: "if (!isRead(memory.said)) return { end: canceled('stopped') };",
    card: 'visa_credit',
  },
  {
    name: 'reads a card without writing it down',
    file: 'register.ts',
    right: 'if (!(await notes.write(next.entry, entry))) {',
    wrong:
      "if (next.entry.state !== 'presenting' && next.entry.state !== 'capturing' && !(await notes.write(next.entry, entry))) {",
    card: 'visa_credit',
  },
  {
    name: 'asks for another card before it asks the server',
    file: 'presenting.ts',
    right: "return { entry: { ...entry, state: 'capturing' } };",
    wrong: "return { entry: { ...entry, state: intent === undefined ? 'opened' : 'capturing' } };",
    card: 'visa_credit',
  },
  {
    name: 'takes a lost answer for a refusal',
    file: 'conclude.ts',
    right: "if (recovery.outcome === 'unknown') return unknown(problem);",
    wrong:
      "if (recovery.outcome === 'unknown') return { step: 'declined', charged: 'no', keep: false, problem };",
    card: 'visa_credit',
  },
  {
    name: 'says that a card was not charged while it is processed',
    file: 'capturing.ts',
    right: "const isProcessing = seen.value.state === 'processing';",
    wrong: 'const isProcessing = false;',
    card: 'slow_to_approve',
  },
  {
    name: 'forgets the payment before it says what became of it',
    file: 'register.ts',
    right: 'await (end.keep ? notes.write(left, entry) : notes.end(entry));',
    wrong: 'await notes.end(entry);',
    card: 'declined_then_approved',
  },
  {
    name: 'says "not charged" of an appointment that it charged itself',
    file: 'paid.ts',
    right: 'if (last === undefined) return end;',
    wrong: "return { ...end, charged: 'no' };",
    card: 'visa_credit',
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
  let found: string | undefined;
  for await (const { faults } of sweep('fake processor', { pairStep: 50, cards: [bug.card] })) {
    [found] = faults;
    if (found !== undefined) break;
  }
  expect(found).toBeDefined();
});

it('finds an app that begins a second collect beside one that hangs', async () => {
  const bug: Bug = {
    name: 'begins a second collect beside one that hangs',
    file: 'presenting.ts',
    right: "if (late.lost === 'timeLimit') till.readerHangs(collecting);",
    wrong: '',
  };
  expect(await countOverlaps()).toBe(0);
  const { countOverlaps: withBug } = await plant<typeof import('./two-collects.ts')>(
    bug,
    'two-collects.ts',
  );
  expect(await withBug()).toBe(1);
});
