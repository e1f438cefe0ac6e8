import { cpSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** Where the site has a file of the repository; other files are links into the repository. */
const placeOf = (path: string): string | undefined => {
  if (path === 'README.md') return 'index.md';
  if (path === 'docs/README.md') return 'documents.md';
  if (path === 'docs/decisions/README.md') return 'decisions/index.md';
  return /^docs\/(?!api\/).*\.\w+$/.test(path) ? path.slice('docs/'.length) : undefined;
};

/** Writes the sources of the site into a folder: the same pages, with links that work there. */
export function prepareSite(folder: string): void {
  const pages = ['README.md', ...globSync('docs/**/*.md', { cwd: root })];
  for (const page of pages) {
    write(join(folder, 'pages', placeOf(page) ?? ''), toSite(page));
  }
  for (const file of globSync('docs/{*.json,llms*.txt}', { cwd: root })) {
    write(join(folder, 'pages/public', file.slice('docs/'.length)), read(file));
  }
  cpSync(join(root, 'docs/images'), join(folder, 'pages/images'), { recursive: true });
  cpSync(join(import.meta.dirname, 'vitepress.config.ts'), join(folder, '.vitepress/config.ts'));
  write(join(folder, '.vitepress/settings.json'), JSON.stringify(settings()));
  const dependencies = { vitepress: '1.6.4' };
  write(
    join(folder, 'package.json'),
    JSON.stringify({ private: true, type: 'module', dependencies }),
  );
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function toSite(page: string): string {
  const place = placeOf(page) ?? '';
  return read(page)
    .replaceAll(/^<!--.*?-->$/gms, '')
    .replaceAll(/\]\((?!https?:|#)([^)\s#]+)(#[^)\s]+)?\)/g, (_, link: string, anchor = '') => {
      const path = normalize(join(dirname(page), link)).replace(/\/$/, '');
      if (!existsSync(join(root, path))) throw new Error(`${page} links to ${link}`);
      const target = placeOf(path);
      if (target === undefined) return `](${repository()}/blob/main/${path}${anchor})`;
      const isPage = /\.(?:md|png)$/.test(target);
      return `](${isPage ? relative(dirname(place), target) : `/${target}`}${anchor})`;
    })
    .replaceAll(/\]\((?![a-z]+:|[#./])/g, '](./');
}

/** The address in the packages, which a publisher sets. */
function repository(): string {
  const { repository: named } = JSON.parse(read('packages/core/package.json'));
  return named.url.replace(/^git\+(.*)\.git$/, '$1');
}

interface Item {
  readonly text: string;
  readonly link?: string;
  readonly items?: readonly Item[];
}

/** The table of documents is the side bar. */
function settings() {
  const sections = read('docs/README.md').split(/^## /m).slice(1);
  const sidebar = sections.map((section): Item => {
    const rows = [...section.matchAll(/^\| \[([^\]]+)\]\(([^)]+)\)/gm)];
    const items = rows.map(([, text = '', link = '']) => ({
      text,
      link: `/${link.replace(/(?:README)?\.md$/, '')}`,
    }));
    return { text: section.split('\n')[0] ?? '', items };
  });
  const nav: readonly Item[] = [
    { text: 'First payment', link: '/guide/first-payment' },
    { text: 'Interface', link: '/interface' },
    { text: 'Guarantees', link: '/reference/guarantees' },
  ];
  return { nav: [...nav, { text: 'API', link: '/api/index.html', target: '_self' }], sidebar };
}
