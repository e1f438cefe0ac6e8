// Writes docs/llms.txt, the list of pages for language models (https://llmstxt.org), and docs/llms-full.txt,
// all of these pages in one file. `--check` only compares, and fails if a file is out of date.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const docs = join(import.meta.dirname, '../docs');
const read = (page: string) => readFileSync(join(docs, page), 'utf8');

/** Lists for people who check the proofs; as text they would fill a model's memory. */
const listsOfProofs = [
  'reference/stripe-claims.md',
  'reference/histories.md',
  'reference/planted-bugs.md',
  'reference/till-outcomes.md',
  'reference/wrong-adapters.md',
  'decisions/README.md',
];

const index = read('README.md');
const rows = [...index.matchAll(/^\| \[([^\]]+)\]\(([^)]+)\) *\| (.*?) *\|$/gm)];
const pages = rows.flatMap(([, , page = '']) => (listsOfProofs.includes(page) ? [] : [page]));

const head = `# Chairside

> A TypeScript library that takes in-person card payments for appointments. No customer is charged twice, even if any
> part crashes at any moment. It runs inside of a host's program, or serves an HTTP interface.
`;
const list = index
  .replace(/^# .*\n/, '')
  .replaceAll(/^\| (?:Page|-+) .*\n/gm, '')
  .replaceAll(/^\| \[([^\]]+)\]\(([^)]+)\) *\| (.*?) *\|$/gm, '- [$1]($2): $3');

/** A link leads from the page's own folder; in one file all lead from \`docs\`. */
function fromDocs(page: string): string {
  return read(page).replaceAll(/\]\((?!https?:|#)([^)\s]+)\)/g, (_, link: string) => {
    return `](${normalize(join(dirname(page), link))})`;
  });
}

const files = {
  'llms.txt': `${head}${list}\nAll pages in one file: [llms-full.txt](llms-full.txt)\n`,
  'llms-full.txt': `${head}\n${pages.map((page) => `<!-- ${page} -->\n\n${fromDocs(page)}`).join('\n')}`,
};
for (const [name, text] of Object.entries(files)) {
  if (!process.argv.includes('--check')) writeFileSync(join(docs, name), text);
  else if (read(name) !== text) {
    console.error(`docs/${name} is out of date: run \`npx --yes pnpm llms\``);
    process.exitCode = 1;
  }
}
