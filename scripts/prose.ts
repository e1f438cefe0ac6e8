// The part of plain English that a script can check: constructions that need a second reading, and
// sentences that are too long. A comment or a paragraph that quotes one on purpose says so:
// `prose: reason`.
import { readFileSync } from 'node:fs';
import ts from 'typescript';

export interface ProseFault {
  readonly line: number;
  readonly text: string;
}

type Kind = 'comment' | 'title' | 'paragraph' | 'heading';

interface Passage {
  readonly kind: Kind;
  readonly line: number;
  readonly text: string;
}

/** Figures and lists make the sentences of documents longer than those of comments. */
const maxWords: Readonly<Record<Kind, number>> = {
  comment: 25,
  title: 25,
  paragraph: 30,
  heading: Number.POSITIVE_INFINITY,
};

const banned: readonly (readonly [RegExp, string])[] = [
  [/\b(?:what|who|which|whom|wher)ever\b/i, 'name the subject'],
  [/\b(?:nobody|no one)\b/i, 'name the caller, the node or the client'],
  [/\bnothing (?:of|but|else|that|is|was|can|says|tells)\b/i, 'say what does not happen'],
  [/\bas good as\b/i, 'say "counts as"'],
  [/\b(?:is|are|was|were|be|been) told\b/i, 'say "receives" or "is reported to"'],
  [/(?<!there )\b(?:is|are|was|were) (?:none(?! of)|nobody's)\b/i, 'say "is not a …"'],
  [/\b(?:its|their) own affair\b/i, 'say "is ignored"'],
  [/\bwhat (?:is|are|was|were|has|have|had) (?:no|none|not|nothing)\b/i, 'name the subject'],
  [/\bwhat (?:becomes|became|comes|came) of\b/i, 'say "the outcome of"'],
  [/\b(?:that|which|who|it|they) (?:is|are) no\b(?! longer| more)/i, 'say "is not a"'],
  [/\bin the place of\b/i, 'say "instead of"'],
];

/** A statement that begins with "What" has no named subject. */
const hiddenSubject = /^what\b[^?]*$/i;

/** Code, links and quotations count as one word each. */
function plain(text: string): string {
  return text
    .replaceAll(/``[^`]*``|`[^`]*`|\{@link [^}]*\}|https?:\/\/\S+/g, 'code')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/"[^"]*"|“[^”]*”/g, 'quote')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function faultsOf({ kind, line, text }: Passage): ProseFault[] {
  if (/\bprose: \S/.test(text)) return [];
  const words = plain(text);
  const found = banned.flatMap(([pattern, advice]) => {
    const hit = pattern.exec(words);
    return hit === null ? [] : [{ line, text: `"${hit[0]}": ${advice}` }];
  });
  for (const sentence of words.split(/(?<=[.!?:;])\s/)) {
    const count = sentence.split(' ').filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
    if (count > maxWords[kind]) found.push({ line, text: `a sentence of ${count} words` });
    if ((kind === 'comment' || kind === 'title') && hiddenSubject.test(sentence)) {
      found.push({ line, text: `"${sentence}": begin with the subject` });
    }
  }
  return found;
}

/** Examples for the rules, so that each rule is known to work. */
const proof: readonly (readonly [sentence: string, isPlain: boolean])[] = [
  ['Whatever the order they were written in.', false],
  ['It is missed by nobody.', false],
  ['An option that is undefined is as good as absent.', false],
  ['The host is told of it.', false],
  ['A wallet is none to enter.', false],
  ['The reader takes what is no object.', false],
  ['A receipt shows what came of it.', false],
  ['What more than one operation ends in.', false],
  [`It ${'waits and '.repeat(13)}ends.`, false],
  ['Non-objects are unauthenticated, and `whatever` is a name.', true],
  ['Absent if there is none, or no longer needed.', true],
];

/** Throws unless the rules find exactly the bad sentences. */
export function proveProse(): void {
  for (const [text, isPlain] of proof) {
    const isFound = faultsOf({ kind: 'comment', line: 0, text }).length > 0;
    if (isFound === isPlain) throw new Error(`the rules of prose misjudge: ${text}`);
  }
}

/** Checks the comments of a source file, and the titles of its tests. */
export function sourceProse(file: ts.SourceFile): ProseFault[] {
  return [...comments(file), ...titles(file)].flatMap(faultsOf);
}

function comments(file: ts.SourceFile): Passage[] {
  const { text } = file;
  const ranges = new Map<number, number>();
  const visit = (node: ts.Node): void => {
    const leading = ts.getLeadingCommentRanges(text, node.getFullStart()) ?? [];
    const trailing = ts.getTrailingCommentRanges(text, node.getEnd()) ?? [];
    for (const { pos, end } of [...leading, ...trailing]) ranges.set(pos, end);
    for (const child of node.getChildren(file)) visit(child);
  };
  visit(file);
  const blocks: { start: number; end: number; text: string }[] = [];
  for (const [start, end] of [...ranges].sort(([a], [b]) => a - b)) {
    const raw = text.slice(start, end);
    const last = blocks.at(-1);
    // Neighbouring `//` lines are one comment.
    if (raw.startsWith('//') && last && /^\n[ \t]*$/.test(text.slice(last.end, start))) {
      last.text += `\n${raw.slice(2)}`;
      last.end = end;
    } else {
      blocks.push({ start, end, text: raw.replaceAll(/^\/[/*]+|\*+\/$|^\s*\* ?/gm, '') });
    }
  }
  return blocks.flatMap(({ start, text: block }) =>
    block
      .replaceAll(/```[\s\S]*?```/g, '')
      .split(/\n\s*\n|\n(?=\s*(?:[-*@]|\d+\.))/)
      .map((part) => ({
        kind: 'comment' as const,
        line: file.getLineAndCharacterOfPosition(start).line + 1,
        text: part.replace(/^\s*(?:@param \S+|@\w+)/, ''),
      })),
  );
}

function titles(file: ts.SourceFile): Passage[] {
  const found: Passage[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const [title] = node.arguments;
      const isTest = /^(?:it|test|describe\w*)\b/.test(node.expression.getText(file));
      if (isTest && title !== undefined && ts.isStringLiteralLike(title)) {
        const line = file.getLineAndCharacterOfPosition(title.getStart(file)).line + 1;
        found.push({ kind: 'title', line, text: title.text });
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** Checks a page: its paragraphs, and the phrases of its headings and table cells. */
export function pageProse(path: string): ProseFault[] {
  const withoutCode = readFileSync(path, 'utf8').replaceAll(/```[\s\S]*?```/g, (code) =>
    code.replaceAll(/[^\n]/g, ''),
  );
  const passages: Passage[] = [];
  let isOpen = false;
  for (const [index, line] of withoutCode.split('\n').entries()) {
    const cells = /^\s*\|/.test(line) ? line.split('|') : /^#/.test(line) ? [line] : undefined;
    if (cells !== undefined) {
      for (const text of cells) passages.push({ kind: 'heading', line: index + 1, text });
      isOpen = false;
    } else if (line.trim() === '') {
      isOpen = false;
    } else {
      const last = passages.at(-1);
      if (isOpen && last !== undefined && !/^\s*(?:[-*]|\d+\.)\s/.test(line)) {
        passages[passages.length - 1] = { ...last, text: `${last.text}\n${line}` };
      } else {
        passages.push({ kind: 'paragraph', line: index + 1, text: line });
      }
      isOpen = true;
    }
  }
  return passages.flatMap(faultsOf);
}
