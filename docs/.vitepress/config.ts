// The documents as a site in coverage/site, with llms.txt and llms-full.txt: `npx --yes pnpm site`.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { defineConfig, type MarkdownOptions } from 'vitepress';
import llms from 'vitepress-plugin-llms';
import { optionsPage } from './options.ts';

const root = join(import.meta.dirname, '../..');
const manifest = JSON.parse(readFileSync(join(root, 'packages/core/package.json'), 'utf8'));
/** The address in the packages, which a publisher sets. */
const repository: string = manifest.repository.url.replace(/^git\+(.*)\.git$/, '$1');

/** Anchors as GitHub makes them, so that a link works here and there. */
const slugify = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

type Extension = NonNullable<MarkdownOptions['config']>;

/** A link to what is no page leads into the repository. */
const linkToRepository: Extension = (md) => {
  md.core.ruler.push('repository', ({ tokens, env }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.attrGet('href') ?? '';
      const path = join('docs', dirname(env.relativePath), href);
      if (/^([a-z]+:|#|$)/.test(href) || /^docs\/.*\.md(#.*)?$/.test(path)) continue;
      if (token.type === 'link_open') token.attrSet('href', `${repository}/blob/main/${path}`);
    }
  });
};

/** Long names may break between their words, so that a table fits. */
const breakNames: Extension = ({ renderer: { rules } }) => {
  const draw = rules.code_inline;
  rules.code_inline = (...given) =>
    (draw?.(...given) ?? '').replaceAll(/(?<=[a-z])(?=[A-Z])/g, '<wbr>');
};

/** The table of documents is the side bar. */
const sidebar = readFileSync(join(root, 'docs/README.md'), 'utf8')
  .split(/^## /m)
  .slice(1)
  .map((section) => ({
    text: section.split('\n')[0] ?? '',
    items: [...section.matchAll(/^\| \[([^\]]+)\]\(([^)]+)\)/gm)].map(
      ([, text = '', link = '']) => ({
        text,
        link: `/${link.replace(/(README)?\.md$/, '')}`,
      }),
    ),
  }));

/** Pages of this site that the repository does not hold. */
const built = [
  { text: 'Options', link: '/reference/options' },
  { text: 'HTTP', link: '/http/index.html', target: '_self' },
  { text: 'TypeScript', link: '/api/index.html', target: '_self' },
];
writeFileSync(join(root, 'docs/reference/options.md'), optionsPage());

export default defineConfig({
  title: 'Chairside',
  description: 'In-person card payments for appointments',
  outDir: '../coverage/site',
  cacheDir: '../coverage/vitepress',
  rewrites: { 'README.md': 'index.md', 'decisions/README.md': 'decisions/index.md' },
  markdown: {
    anchor: { slugify },
    config: (md) => {
      linkToRepository(md);
      breakNames(md);
    },
    // The default's grey of comments is too light on its own background.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  vite: { plugins: [llms()] },
  themeConfig: {
    nav: built,
    sidebar: [...sidebar, { text: 'Built from the code', items: built }],
    search: {
      provider: 'local',
      options: {
        // The button's name is its own text, the keys included.
        translations: { button: { buttonAriaLabel: '' } },
        miniSearch: {
          searchOptions: {
            // A newcomer looks for a page, and seldom for the decision behind it.
            boostDocument: (id: string) => (id.includes('/decisions/') ? 0.3 : 1),
          },
        },
      },
    },
    outline: [2, 3],
  },
});
