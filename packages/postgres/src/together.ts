/** Divides by zero where nothing was changed. */
const held = (part: string) => `(SELECT 1 / count(*) FROM ${part})`;

/** More statements than any use case's commit has; what has more is sent one by one. */
const maxStatements = 10;

const before = 'WITH changed AS (';
const after = ' RETURNING 1) SELECT 1 / count(*) AS held FROM changed';

/**
 * A change of which at least one row must come. Where none does, it divides by zero: an error ends
 * the transaction at once, so that the COMMIT which was sent right behind it undoes everything, and
 * no round trip is spent on looking.
 */
export function must(change: string): string {
  return `${before}${change}${after}`;
}

/**
 * All of these as one statement, which PostgreSQL carries out whole or not at all: a third of the
 * work, for both sides, of sending them one by one in a transaction. Its parameters are theirs, one
 * after the other. `undefined` where two change the same table: all parts of a statement see it as
 * it was before, so that one would not see what the other did.
 */
export function together(texts: readonly string[]): string | undefined {
  const tables = texts.map((text) => /(?:INTO|UPDATE|FROM) @(\w+)/.exec(text)?.[1]);
  if (texts.length > maxStatements || new Set(tables).size < texts.length) return undefined;
  let taken = 0;
  const parts = texts.map((text, index) => {
    const isCondition = text.startsWith(before);
    const change = isCondition ? text.slice(before.length, -after.length) : text;
    const skipped = taken;
    taken += new Set(change.match(/\$\d+/g)).size;
    const numbered = change.replaceAll(/\$(\d+)/g, (_, mark) => `$${Number(mark) + skipped}`);
    return isCondition
      ? { change: `part${index} AS (${numbered} RETURNING 1)`, held: [held(`part${index}`)] }
      : { change: `part${index} AS (${numbered})`, held: [] };
  });
  const conditions = parts.flatMap((part) => part.held);
  return `WITH ${parts.map(({ change }) => change)}\nSELECT ${['1', ...conditions].join(' + ')}`;
}
