import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** Links of the built pages that lead to no page or to no anchor of the site. */
export function brokenLinks(out: string): { readonly checked: number; readonly broken: string[] } {
  const pages = globSync('**/*.html', { cwd: out, exclude: ['api/**'] });
  const texts = new Map<string, string>();
  const textOf = (page: string) => {
    const known = texts.get(page) ?? readFileSync(join(out, page), 'utf8');
    texts.set(page, known);
    return known;
  };
  const broken: string[] = [];
  let checked = 0;
  for (const page of pages) {
    for (const [, link = ''] of textOf(page).matchAll(/\s(?:href|src)="([^"]*)"/g)) {
      if (/^(?:[a-z]+:|#$|$)/.test(link)) continue;
      checked += 1;
      const [path = '', anchor] = link.replaceAll('&amp;', '&').split('#');
      const target = targetOf(out, page, path);
      const isThere = target !== undefined && hasAnchor(textOf(target), anchor);
      if (!isThere) broken.push(`${page}: ${link}`);
    }
  }
  const list = readFileSync(join(out, 'llms.txt'), 'utf8');
  for (const [, path = ''] of list.matchAll(/^[^\n]*\[[^\]]*\]\(([^)]+)\)/gm)) {
    checked += 1;
    if (!existsSync(join(out, path))) broken.push(`llms.txt: ${path}`);
  }
  return { checked, broken };
}

function targetOf(out: string, page: string, path: string): string | undefined {
  if (path === '') return page;
  const at = path.startsWith('/') ? path.slice(1) : join(dirname(page), path);
  const candidates = [at, `${at}.html`, join(at, 'index.html')].map((to) => normalize(to));
  return candidates.find((to) => /\.\w+$/.test(to) && existsSync(join(out, to)));
}

function hasAnchor(html: string, anchor: string | undefined): boolean {
  return anchor === undefined || html.includes(`id="${decodeURIComponent(anchor)}"`);
}
