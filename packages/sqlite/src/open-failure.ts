import { meaningOf, messageOf, sqliteCode } from './fault.ts';

export type SqliteOpenFailure =
  /** Its folder does not exist, or no path was given. */
  | 'missingFolder'
  /** It cannot be opened for reading and writing: missing rights, or not a regular file. */
  | 'unwritable'
  /** The disk has no space for it or for the files beside it. */
  | 'diskFull'
  /** The disk could not read, write or flush it. Restore a backup only onto a working disk. */
  | 'diskFailed'
  | 'notADatabase'
  /** Another connection holds it. */
  | 'locked'
  /**
   * A host's own database needs other settings or a later SQLite first, or the file lies where it could lose
   * payments; the message says what to do.
   */
  | 'unsuitable'
  /** A later version of this package wrote it, which this one may not work with; it is unchanged. */
  | 'newerSchema'
  /** A commit that was never published made it; it is unchanged. */
  | 'unreleasedSchema'
  /** Its records moved, or are moving, to another store. */
  | 'moving'
  /** A bundler packed better-sqlite3 into its output, where it does not find its native module. */
  | 'bundled'
  /** SQLite did not accept a setting that durability needs. */
  | 'pragmaNotHonoured'
  /** An option that does not exist, a typing error for example; the message names the nearest one. */
  | 'unknownOption'
  | 'failed';

export interface Failure {
  readonly reason: SqliteOpenFailure;
  readonly why: string;
}

const reasons: readonly (readonly [RegExp, SqliteOpenFailure])[] = [
  [/^SQLITE_(FULL|IOERR_SHM)/, 'diskFull'],
  [/^SQLITE_(IOERR_(LOCK|RDLOCK)|CANTOPEN|READONLY|PERM)/, 'unwritable'],
  [/^SQLITE_IOERR/, 'diskFailed'],
  [/^SQLITE_(NOTADB|CORRUPT)/, 'notADatabase'],
  [/^SQLITE_(BUSY|LOCKED)/, 'locked'],
];

const bundled = (message: string) =>
  `better-sqlite3 did not find its native module (${message}). A bundler has probably packed it into the server's code: keep better-sqlite3 and @chairside/sqlite out of the bundle. SvelteKit and Vite do so with what is in "dependencies" of package.json, Next.js with serverExternalPackages.`;

/** Why a database could not be opened, for a person. */
export function failureOf(error: unknown): Failure {
  const message = messageOf(error);
  if (/\b__(?:dir|file)name is not defined|bindings file|\.node['"]?$/.test(message)) {
    return { reason: 'bundled', why: bundled(message) };
  }
  if (message.includes('directory does not exist')) {
    return { reason: 'missingFolder', why: message };
  }
  const code = sqliteCode(error);
  const [, reason = 'failed'] = reasons.find(([codes]) => codes.test(code)) ?? [];
  const meaning = meaningOf(code);
  return { reason, why: meaning === undefined ? message : `${meaning} (${message}, ${code})` };
}
