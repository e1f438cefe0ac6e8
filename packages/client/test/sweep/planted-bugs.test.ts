import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, expect, it } from 'vitest';
import type { SweptCard } from './cards.ts';
import type { sweep } from './sweep.ts';

// Each bug is planted into a copy of the sources, and the sweep has to find it.

interface Bug {
  readonly name: string;
  readonly file: string;
  readonly right: string;
  readonly wrong: string;
  /** The plan that reveals it. */
  readonly card: SweptCard;
}

const bugs: readonly Bug[] = [
  {
    name: 'begins anew after a restart, under new keys',
    file: 'register.ts',
    right: "const first = note === 'none' ? begin(input) : note;",
    wrong:
      'const first = begin(input); await notes.remove(input.appointmentId); if (note !== "none") await notes.write(first, true);',
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
    right: 'if (!(await notes.write(next.entry, false))) {',
    wrong:
      "if (next.entry.state !== 'presenting' && next.entry.state !== 'capturing' && !(await notes.write(next.entry, false))) {",
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
    right:
      "return stuck(type === 'unauthorized' ? 'signIn' : 'noAnswer', 'unknown', problem);\n  }\n  if (reason",
    wrong: "return canceled('refused', problem);\n  }\n  if (reason",
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
    right: 'await (end.keep ? notes.write(left, false) : notes.remove(appointmentId));',
    wrong: 'await notes.remove(appointmentId);',
    card: 'declined_then_approved',
  },
];

const folder = mkdtempSync(join(import.meta.dirname, '../.planted-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function sweepWith(bug: Bug, number: number): Promise<typeof sweep> {
  const outfile = join(folder, `${number}.mjs`);
  let isPlanted = false;
  await build({
    entryPoints: [join(import.meta.dirname, 'sweep.ts')],
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
  const planted: { readonly sweep: typeof sweep } = await import(outfile);
  return planted.sweep;
}

it.each(bugs.map((bug, number) => ({ ...bug, number })))('finds an app that $name', async (bug) => {
  const planted = await sweepWith(bug, bug.number);
  let found: string | undefined;
  for await (const { faults } of planted('fake processor', { pairStep: 50, cards: [bug.card] })) {
    [found] = faults;
    if (found !== undefined) break;
  }
  expect(found).toBeDefined();
});
