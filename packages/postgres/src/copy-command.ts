#!/usr/bin/env node
import { copySqliteToPostgres } from './copy.ts';

const flag = '--durability-provided-by-service';

const usage = `Copies all records of a Chairside that is stopped from SQLite to PostgreSQL.

  DATABASE_URL=postgresql://… chairside-copy-to-postgres <sqlite file> [schema]

  ${flag}   accepts a server with fsync = off, such as Neon's
`;

const given = process.argv.slice(2);
const [sqlitePath, schema] = given.filter((argument) => argument !== flag);
// Not an argument, because other users of the machine see arguments, and it may hold a password.
const connectionString = process.env['DATABASE_URL'];

if (sqlitePath === undefined || connectionString === undefined) {
  process.stderr.write(usage);
  process.exitCode = 2;
} else {
  const copied = await copySqliteToPostgres({
    sqlitePath,
    connectionString,
    ...(schema !== undefined && { schema }),
    ...(given.includes(flag) && { durability: 'providedByService' }),
  });
  copied.match(
    (tables) => {
      for (const { table, rows, checksum } of tables) {
        console.log(`${table.padEnd(32)} ${`${rows}`.padStart(10)}  ${checksum.slice(0, 16)}`);
      }
      console.log('Both sides have the same rows. The file does not open any more.');
    },
    ({ outcome, message }) => {
      console.error(
        outcome === 'unknown'
          ? `All records may be copied, or none: the last reply was lost (${message}). Run this again: if it says that a table is not empty, all are there.`
          : `Nothing was copied: ${message}`,
      );
      process.exitCode = 1;
    },
  );
}
