import type { Statement } from './connection.ts';
import type { EncodedCommit } from './encode.ts';
import { asciiJson } from './literal.ts';

/** Whether groups are written with one statement for each kind of change. Tests force it. */
export const setWise = {
  /** The size of the smallest such group: a smaller one gains nothing. */
  fewest: 3,
};

/**
 * Chooses the commits of the next group, the first one included. Commits that change different rows
 * are written together, and the others wait for the next group. If those are the majority, as when
 * all change one appointment, they are written one by one.
 */
export function chooseGroup(commits: readonly EncodedCommit[]): readonly EncodedCommit[] {
  const together = disjoint(commits);
  if (together.length < Math.max(setWise.fewest, commits.length / 2)) return commits;
  if (together[0] === commits[0]) return together;
  return commits.filter((commit) => !together.includes(commit));
}

/** Those that may be written set by set. */
function disjoint(commits: readonly EncodedCommit[]): readonly EncodedCommit[] {
  const taken = new Set<string>();
  return commits.filter(({ rows }) => {
    if (rows === undefined || rows.some((row) => taken.has(row))) return false;
    for (const row of rows) taken.add(row);
    return true;
  });
}

/**
 * A call of the server's function for these commits. They are its parameter, because the server
 * writes the text of a statement into its log, and they may hold client secrets.
 */
export function callOf(
  commitFunction: string,
  commits: readonly EncodedCommit[],
  lockMs: number,
): Statement {
  const turns = [...new Set(commits.flatMap(({ turns }) => turns))].sort((a, b) => a - b);
  const isSetWise = commits.length >= setWise.fewest && disjoint(commits).length === commits.length;
  return {
    text: `SELECT ${commitFunction}($1, '{${turns}}', ${lockMs}, ${isSetWise}) AS answers`,
    values: [asciiJson(jsonOf(commits))],
  };
}

/** The changes of each kind in one list, and each commit with the places of its own changes. */
function jsonOf(commits: readonly EncodedCommit[]): string {
  const sets = new Map<string, string[]>();
  const heads = commits.map(({ head, changes }) => {
    const places = changes?.map(({ kind, text }) => {
      const set = sets.get(kind) ?? [];
      sets.set(kind, set);
      return `["${kind}",${set.push(text) - 1}]`;
    });
    return places === undefined ? `[${head}]` : `[${head},[${places}]]`;
  });
  const lists = [...sets].map(([kind, texts]) => `,"${kind}":[${texts}]`);
  return `{"commits":[${heads}]${lists.join('')}}`;
}
