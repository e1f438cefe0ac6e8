import type { Edit } from './edit.ts';

/** Whether a text of the code is a statement, or a part of one. */
export function isSql(text: string): boolean {
  return /\b(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|WHERE|ORDER BY|LIMIT|ON CONFLICT|EXISTS|BEGIN|COMMIT)\b|\b[a-z_]+ (?:=|<=?|>=?|<>) (?:\?|@|\$\{)|\bIS (?:NOT )?NULL\b/.test(
    text,
  );
}

/** One word, number, operator or mark; `${…}` of a template and a quoted text are one each. */
interface Token {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** How many brackets are open around it. */
  readonly depth: number;
}

const endOfCondition =
  /^(?:AND|OR|ORDER|GROUP|LIMIT|FOR|ON|RETURNING|THEN|LOOP|ELSE|UNION|SET|WHERE|;)$/;
const swaps: readonly (readonly [from: RegExp, to: string, rule: string])[] = [
  [/^<$/, '<=', '< for <='],
  [/^<=$/, '<', '<= for <'],
  [/^>$/, '>=', '> for >='],
  [/^>=$/, '>', '>= for >'],
  [/^<>$/, '=', '<> for ='],
  [/^\+$/, '-', '+ for -'],
  [/^AND$/, 'OR', 'AND for OR'],
  [/^OR$/, 'AND', 'OR for AND'],
  [/^DESC$/, 'ASC', 'turn an order'],
  [/^min$/, 'max', 'min for max'],
  [/^max$/, 'min', 'max for min'],
  [/^TRUE$/, 'FALSE', 'another constant'],
  [/^FALSE$/, 'TRUE', 'another constant'],
];
const dropped: readonly (readonly [from: RegExp, rule: string])[] = [
  [
    /ORDER BY [^)(]*?(?:\([^)(]*\)[^)(]*?)*(?= LIMIT|\s*\)|\s*;|\s*$|\s+FOR | ON CONFLICT)/g,
    'drop ORDER BY',
  ],
  [/ FOR (?:SHARE|UPDATE|NO KEY UPDATE|KEY SHARE)/g, 'drop a row lock'],
  [/ IMMEDIATE/g, 'drop IMMEDIATE'],
  [/\bNOT (?=EXISTS|\$\{|[a-z])/g, 'drop NOT'],
  [/ON CONFLICT(?: \([^)]*\))? DO NOTHING/g, 'drop ON CONFLICT'],
  [/(?<=IS )NOT (?=NULL)/g, 'IS NOT NULL for IS NULL'],
];

/** The faults of an SQL text. `${…}` of a template is left alone. */
export function sqlEdits(sql: string): readonly Edit[] {
  const tokens = tokensOf(sql);
  const edits: Edit[] = [];
  let isSetting = false;
  let settingDepth = 0;
  for (const [index, token] of tokens.entries()) {
    const { text, start, end, depth } = token;
    if (text === 'SET') [isSetting, settingDepth] = [true, depth];
    else if (isSetting && depth <= settingDepth && /^(?:WHERE|RETURNING|FROM|;)$/.test(text)) {
      isSetting = false;
    }
    const isAssigned = isSetting && depth === settingDepth;
    if (text === '=' && !isAssigned) edits.push({ start, end, to: '>=', rule: '= for >=' });
    if (isAssigned && text === '=') edits.push(...assignmentEdits(sql, tokens, index));
    for (const [from, to, rule] of swaps) {
      if (from.test(text)) edits.push({ start, end, to, rule });
    }
    if (/^\d+$/.test(text)) {
      edits.push({ start, end, to: `${Number(text) + 1}`, rule: 'another constant' });
    }
    if (text === 'NULL' && tokens[index - 1]?.text === 'IS') {
      edits.push({ start, end, to: 'NOT NULL', rule: 'IS NULL for IS NOT NULL' });
    }
    if (/^(?:WHERE|AND|OR|IF|WHEN)$/.test(text)) edits.push(...conditionEdits(sql, tokens, index));
    const limit = tokens[index + 1];
    if (text === 'LIMIT' && limit !== undefined) {
      const last = limit.text === 'max' ? lastOfCall(tokens, index + 1) : limit;
      const bound = sql.slice(limit.start, last.end);
      const at = { start: limit.start, end: last.end };
      edits.push({ ...at, to: `${bound} + 1`, rule: 'a longer list' });
      edits.push({ ...at, to: `1000000 + ${bound}`, rule: 'drop LIMIT' });
    }
  }
  for (const [pattern, rule] of dropped) {
    for (const { 0: found, index } of sql.matchAll(pattern)) {
      edits.push({ start: index, end: index + found.length, to: '', rule });
    }
  }
  for (const { 0: found, index } of sql.matchAll(/DO UPDATE SET [^`]*$/g)) {
    edits.push({ start: index, end: index + found.length, to: 'DO NOTHING', rule: 'DO NOTHING' });
  }
  return edits;
}

/** The condition behind this word no longer counts. Its parameters stay, so that all are bound. */
function conditionEdits(sql: string, tokens: readonly Token[], at: number): readonly Edit[] {
  const word = tokens[at];
  const first = tokens[at + 1];
  if (word === undefined || first === undefined) return [];
  const depth = word.depth;
  let last = at + 1;
  for (let index = at + 1; index < tokens.length; index += 1) {
    const token = tokens[index];
    if (token === undefined || token.depth < depth) break;
    if (token.depth === depth && index > at + 1 && endOfCondition.test(token.text)) break;
    last = index;
  }
  const end = tokens[last]?.end ?? first.end;
  const condition = sql.slice(first.start, end);
  const edit = { start: first.start, end, rule: 'drop a condition' };
  return [
    { ...edit, to: `(${condition} OR TRUE)` },
    ...(word.text === 'IF' ? [{ ...edit, to: `(${condition} AND FALSE)` }] : []),
  ];
}

/** The column keeps its value, if its new one has no parameter of its own. */
function assignmentEdits(sql: string, tokens: readonly Token[], at: number): readonly Edit[] {
  const column = tokens[at - 1];
  const first = tokens[at + 1];
  if (column === undefined || first === undefined || !/^\w+$/.test(column.text)) return [];
  let last = at + 1;
  for (let index = at + 1; index < tokens.length; index += 1) {
    const token = tokens[index];
    if (token === undefined || token.depth < column.depth) break;
    if (token.depth === column.depth && /^(?:,|WHERE|RETURNING|FROM|;)$/.test(token.text)) break;
    last = index;
  }
  const end = tokens[last]?.end ?? first.end;
  if (sql.slice(first.start, end).includes('?')) return [];
  const qualified = qualifierOf(sql, column.text);
  return [{ start: first.start, end, to: `${qualified}${column.text}`, rule: 'keep a column' }];
}

/** PostgreSQL needs the table's name beside a column that a join or an insert has as well. */
function qualifierOf(sql: string, column: string): string {
  return sql.match(new RegExp(`\\b((?!excluded)\\w+\\.)${column}\\b`))?.[1] ?? '';
}

function lastOfCall(tokens: readonly Token[], at: number): Token {
  const name = tokens[at];
  const close = tokens.find(
    ({ text, depth, start }) => text === ')' && start > (name?.end ?? 0) && depth === name?.depth,
  );
  if (close === undefined) throw new Error('A call of SQL has no end.');
  return close;
}

function tokensOf(sql: string): readonly Token[] {
  const tokens: Token[] = [];
  let depth = 0;
  let index = 0;
  while (index < sql.length) {
    const length = lengthOfToken(sql, index);
    const text = sql.slice(index, index + length);
    if (text === ')') depth -= 1;
    const isBlank = /^\s/.test(text) || text.startsWith('--');
    if (!isBlank) tokens.push({ text, start: index, end: index + length, depth });
    if (text === '(') depth += 1;
    index += length;
  }
  return tokens;
}

function lengthOfToken(sql: string, at: number): number {
  if (sql.startsWith('${', at)) return lengthOfHole(sql, at);
  const rest = sql.slice(at);
  const found = rest.match(
    /^(?:--[^\n]*|\s+|'[^']*'|@?\w+(?:\.\w+)?|<=|>=|<>|->>|->|::|\|\||:=|.)/,
  );
  return found?.[0].length ?? 1;
}

/** The whole of `${…}`, with braces inside. */
function lengthOfHole(sql: string, at: number): number {
  let open = 0;
  for (let index = at + 1; index < sql.length; index += 1) {
    if (sql[index] === '{') open += 1;
    if (sql[index] === '}') open -= 1;
    if (open === 0) return index + 1 - at;
  }
  return sql.length - at;
}
