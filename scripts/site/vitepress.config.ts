// VitePress reads this file in the folder that `prepare.ts` writes, beside `settings.json`.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const settings = JSON.parse(readFileSync(join(import.meta.dirname, 'settings.json'), 'utf8'));

/** Anchors as GitHub makes them, so that a link works here and there. */
const slugify = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

/** The default theme's label of a language is too pale, and its search button has a name beside its text. */
const style = `
  .vp-doc [class*='language-'] > span.lang { color: var(--vp-c-text-1) !important; }
  .DocSearch-Button-Keys { display: none !important; }
`;

interface Token {
  readonly content: string;
  tag: string;
}

/** A heading without text is a cell like any other. */
function config({ core }: { core: { ruler: { push: (name: string, rule: Rule) => void } } }): void {
  core.ruler.push('empty-headings', ({ tokens }) => {
    for (const [index, token] of tokens.entries()) {
      const [text, end] = tokens.slice(index + 1, index + 3);
      if (token.tag !== 'th' || text?.content !== '' || end?.tag !== 'th') continue;
      token.tag = 'td';
      end.tag = 'td';
    }
  });
}
type Rule = (state: { readonly tokens: readonly Token[] }) => void;

export default {
  title: 'Chairside',
  description: 'In-person card payments for appointments',
  srcDir: 'pages',
  outDir: 'out',
  lastUpdated: false,
  head: [['style', {}, style]],
  markdown: {
    anchor: { slugify },
    config,
    html: false,
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  themeConfig: {
    ...settings,
    search: { provider: 'local' },
    outline: [2, 3],
  },
};
