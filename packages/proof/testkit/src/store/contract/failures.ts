import { type Result, ResultAsync } from '@chairside/core';
import type { Change, Commit, Store } from '@chairside/core/ports';

/** The commit of each answer, so that a failed case can name it. */
const commits = new WeakMap<object, Commit>();

/** The store. It remembers which commit got which answer. */
export function remembering(store: Store): Store {
  async function note(given: Commit) {
    const answer = await store.commit(given);
    commits.set(answer, given);
    return answer;
  }
  const commit: Store['commit'] = (given) => new ResultAsync(note(given));
  // A store may be an instance of a class, which a copy of its members would not be.
  return new Proxy(store, {
    get(target, name) {
      if (name === 'commit') return commit;
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

/** Fails with the store's answer, its cause, and the changes, each with its ids and their lengths. */
export function answerOf<T, E>(result: Result<T, E>): T {
  if (result.isOk()) return result.value;
  const { error } = result;
  const cause: unknown = typeof error === 'object' && error !== null && Reflect.get(error, 'cause');
  const options = cause === false || cause === undefined ? {} : { cause };
  throw new Error(`The store answered ${JSON.stringify(error)}${about(result)}`, options);
}

export function errorOf<T, E>(result: Result<T, E>): E {
  if (result.isOk()) throw new Error(`The store answered ok${about(result)}`);
  return result.error;
}

/** The end of a sentence about an answer; empty for the answer to a read. */
export function about(answer: object): string {
  const commit = commits.get(answer);
  if (commit === undefined) return '';
  const changes = commit.changes.slice(0, mostChanges).map(nameOf);
  const more = commit.changes.length - changes.length;
  if (more > 0) changes.push(`${more} more`);
  return ` to commit ${quoted(commit.id)}: ${changes.join(', ') || 'no changes'}`;
}

const mostChanges = 10;
const mostCharacters = 60;
const ids = ['id', 'subject', 'key', 'appointmentId', 'resourceId', 'ledger'];

function nameOf(change: Change): string {
  const { kind, ...rest } = change;
  const records = Object.values(rest).filter((value) => typeof value === 'object');
  const members = [rest, ...records].flatMap((record) => Object.entries(record ?? {}));
  const named = members.flatMap(([name, value]: [string, unknown]) =>
    ids.includes(name) && typeof value === 'string' ? `${name} ${quoted(value)}` : [],
  );
  return [kind, ...named].join(' ');
}

/** The text and its length: faults with long ids are common. */
function quoted(text: string): string {
  const shown = text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : text;
  return `${JSON.stringify(shown)} (${[...text].length} characters)`;
}
