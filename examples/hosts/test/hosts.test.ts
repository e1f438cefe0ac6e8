import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { conversation } from './conversation.ts';
import { makeProject, newFolder } from './project.ts';
import { recipes, type TestedRecipe } from './recipes.ts';
import { startHost } from './start.ts';

const page = join(import.meta.dirname, '../../../docs/guide/hosts.md');
const installMs = 8 * 60_000;
const only = process.env['CHAIRSIDE_HOSTS']?.split(',');
const chosen = recipes.filter(({ folder }) => only?.includes(folder) ?? true);

let folder = '';
let project = '';
/** The steps that ended as they should, by host. */
const passed = new Map<string, readonly string[]>();

beforeAll(async () => {
  folder = newFolder();
  project = await makeProject(
    folder,
    inject('tarballs'),
    chosen.map((recipe) => recipe.folder),
  );
}, installMs);

afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

test.each(chosen)(
  '$name has the whole conversation',
  async (recipe) => {
    const host = await startHost(recipe, project);
    try {
      const said = {};
      const failures: Record<string, unknown> = {};
      for (const [name, step] of Object.entries(conversation)) {
        await step(host, said).catch((failure) => {
          failures[name] = failure;
        });
      }
      const steps = Object.keys(conversation);
      passed.set(
        recipe.name,
        steps.filter((name) => !(name in failures)),
      );
      for (const [name, failure] of Object.entries(failures)) {
        if (!(name in recipe.differs)) throw failure;
      }
      // A reason that no longer holds would stay in the documents for ever.
      expect(Object.keys(failures).sort()).toEqual(Object.keys(recipe.differs).sort());
    } finally {
      host.stop();
      await host.exited;
    }
  },
  installMs,
);

test.runIf(only === undefined)('the documents have the table of what was seen here', () => {
  const text = readFileSync(page, 'utf8');
  const written = text.replace(/(<!-- conversation -->\n).*?(\n<!-- end -->)/s, `$1${table()}$2`);
  if (process.env['CHAIRSIDE_WRITE'] !== undefined) writeFileSync(page, written);
  expect(text).toBe(written);
});

test('a mount takes at most 3 lines, in Fastify 5', () => {
  for (const recipe of recipes) {
    const most = recipe.folder === 'fastify' ? 5 : 3;
    expect(linesOf(recipe), recipe.name).toBeLessThanOrEqual(most);
  }
});

/** Lines of code between the marks, comments not counted. */
function linesOf({ folder, mount }: TestedRecipe): number {
  const regions = mount.flatMap((file) => {
    const code = readFileSync(join(import.meta.dirname, '..', folder, file), 'utf8');
    return [...code.matchAll(/\/\/ #region mount\n(.*?)\/\/ #endregion/gs)].map(([, text]) => text);
  });
  return regions
    .join('')
    .split('\n')
    .filter((line) => /\S/.test(line)).length;
}

function table(): string {
  const steps = Object.keys(conversation);
  const notes = [...new Set(recipes.flatMap(({ differs }) => Object.values(differs)))];
  const rows = recipes.map((recipe) => {
    const cells = steps.map((step) => {
      if (passed.get(recipe.name)?.includes(step)) return 'yes';
      return `no (${notes.indexOf(recipe.differs[step] ?? '') + 1})`;
    });
    return [recipe.name, ...cells, `${linesOf(recipe)}`];
  });
  const head = ['Host', ...steps, 'lines of the mount'];
  const widths = head.map((_, column) =>
    Math.max(...[head, ...rows].map((cells) => cells[column]?.length ?? 0)),
  );
  const rule = widths.map((width) => '-'.repeat(width));
  const lines = [head, rule, ...rows].map(
    (cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`,
  );
  const numbered = notes.map((note, index) => `${index + 1}. ${note}`);
  return ['', ...lines, '', ...numbered, ...(numbered.length > 0 ? [''] : [])].join('\n');
}
