/** Renders the Markdown of our own documents as HTML. Links to other pages become plain text. */
export function toHtml(markdown: string): string {
  const blocks = markdown.split(/\n{2,}/).map((block) => block.trim());
  return merged(blocks.filter((block) => block !== ''))
    .map(blockOf)
    .join('\n');
}

/** A code block may have empty lines. */
function merged(blocks: readonly string[]): string[] {
  const whole: string[] = [];
  let open: string[] | undefined;
  for (const block of blocks) {
    const fences = block.match(/^```/gm)?.length ?? 0;
    if (open !== undefined) open.push(block);
    else if (fences % 2 === 1) open = [block];
    else whole.push(block);
    if (open !== undefined && open.length > 1 && fences % 2 === 1) {
      whole.push(open.join('\n\n'));
      open = undefined;
    }
  }
  return [...whole, ...(open ?? [])];
}

function blockOf(block: string): string {
  const heading = /^(#{1,4}) (.*)$/.exec(block);
  if (heading !== null) return headingOf(heading[1]?.length ?? 1, heading[2] ?? '');
  if (block.startsWith('```')) {
    return `<pre tabindex="0"><code>${escaped(block.replace(/^```.*\n|\n?```$/g, ''))}</code></pre>`;
  }
  if (block.startsWith('|')) return tableOf(block.split('\n'));
  if (/^[-*] /.test(block)) return `<ul>${itemsOf(block, /^[-*] /m)}</ul>`;
  if (/^\d+\. /.test(block)) return `<ol>${itemsOf(block, /^\d+\. /m)}</ol>`;
  return `<p>${inline(block)}</p>`;
}

function headingOf(level: number, text: string): string {
  const number = /^(\d+)\. /.exec(text)?.[1];
  const slug = text.toLowerCase().replace(/[^\w]+/g, '-');
  return `<h${level} id="${number === undefined ? slug : `promise-${number}`}">${inline(text)}</h${level}>`;
}

function itemsOf(block: string, bullet: RegExp): string {
  return block
    .split(bullet)
    .filter((item) => item.trim() !== '')
    .map((item) => `<li>${inline(item.trim())}</li>`)
    .join('');
}

function tableOf([head = '', , ...rows]: readonly string[]): string {
  const cells = (row: string, name: 'th' | 'td') =>
    row
      .replace(/^\||\|$/g, '')
      .split('|')
      .map((cell) => inline(cell.trim()))
      // A header without words is no header.
      .map((cell) => (cell === '' ? '<td></td>' : `<${name}>${cell}</${name}>`))
      .join('');
  const body = rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('');
  return `<div class="scroll" tabindex="0"><table><thead><tr>${cells(head, 'th')}</tr></thead><tbody>${body}</tbody></table></div>`;
}

export function inline(text: string): string {
  return escaped(text)
    .replace(/\[([^\]]*)\]\(#([^)]*)\)/g, '<a href="#$2">$1</a>')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replace(/`([^`]+)`/g, '<code>$1</code>');
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

export function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? '');
}
