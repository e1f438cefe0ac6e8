import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Refund } from '@chairside/core/ports';
import { fromDocument } from '@chairside/core/storage';
import BetterSqlite3 from 'better-sqlite3';
import { newPath } from '../server.ts';

const watch = join(import.meta.dirname, '../../src/watch.ts');

export interface WatchedServer {
  readonly url: string;
  /** The parent's process id. */
  readonly pid: number | undefined;
  /** Sums of an appointment in the database and in the processor's books, read from their files. */
  charged(appointmentId: string): { readonly books: number; readonly processor: number };
  /** The same of its refunds. */
  refunded(appointmentId: string): { readonly books: number; readonly processor: number };
  /** Returns the exit code and the whole output. */
  stop(): Promise<{ readonly code: number | null; readonly stdout: string }>;
}

interface BookEntry {
  readonly paymentId: string;
  readonly amountCaptured: string;
  readonly refunds?: readonly { readonly state: string; readonly amount: string }[];
}

const minor = (amount: string) => Number(amount.replace('.', ''));
const sum = (amounts: readonly number[]) => amounts.reduce((total, amount) => total + amount, 0);

/** The server under its parent, which starts it again where it was killed. */
export async function startWatched(
  more: Readonly<Record<string, string>> = {},
): Promise<WatchedServer> {
  const path = newPath();
  const env = { PORT: '0', CHAIRSIDE_DB: path, CHAIRSIDE_RATE_LIMITS: 'off', ...more };
  const child = spawn(process.execPath, ['--conditions=@chairside/source', watch], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  const url = await listening(child);

  const opened = new Map<string, BetterSqlite3.Database>();
  function read<T>(file: string, sql: string, ...parameters: readonly string[]): T[] {
    const db = opened.get(file) ?? new BetterSqlite3(file, { readonly: true });
    opened.set(file, db);
    return db.prepare<unknown[], T>(sql).all(...parameters);
  }

  const paymentsOf = (appointmentId: string) =>
    read<{ id: string; state: string; amount_minor: number }>(
      path,
      'SELECT id, state, amount_minor FROM chairside_payments WHERE appointment_id = ?',
      appointmentId,
    );

  function entriesOf(appointmentId: string): readonly BookEntry[] {
    const ids = new Set(paymentsOf(appointmentId).map(({ id }) => id));
    return read<{ record: string }>(
      `${path}.processor.db`,
      "SELECT record FROM ledger WHERE collection = 'payments'",
    )
      .map(({ record }): BookEntry => JSON.parse(record))
      .filter(({ paymentId }) => ids.has(paymentId));
  }

  return {
    url,
    pid: child.pid,
    charged: (appointmentId) => ({
      books: sum(
        paymentsOf(appointmentId).flatMap((one) =>
          one.state === 'captured' ? one.amount_minor : [],
        ),
      ),
      processor: sum(entriesOf(appointmentId).map(({ amountCaptured }) => minor(amountCaptured))),
    }),
    refunded: (appointmentId) => ({
      books: sum(
        read<{ document: string }>(
          path,
          `SELECT document FROM chairside_refunds
           WHERE payment_id IN (SELECT id FROM chairside_payments WHERE appointment_id = ?)`,
          appointmentId,
        )
          .map(({ document }) => fromDocument<Refund>(document))
          .map(({ state, amountMinor }) => (state === 'succeeded' ? Number(amountMinor) : 0)),
      ),
      processor: sum(
        entriesOf(appointmentId)
          .flatMap(({ refunds = [] }) => refunds)
          .map(({ state, amount }) => (state === 'succeeded' ? minor(amount) : 0)),
      ),
    }),
    async stop() {
      // `close` comes after the whole output was read.
      const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
      child.kill('SIGTERM');
      for (const db of opened.values()) db.close();
      return { code: await closed, stdout };
    },
  };
}

function listening({ stdout }: ChildProcess): Promise<string> {
  let said = '';
  return new Promise((resolve, reject) => {
    stdout?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const url = /^Chairside listens on (\S+)$/m.exec(said)?.[1];
      if (url !== undefined) resolve(url);
    });
    stdout?.once('end', () => reject(new Error('the server ended')));
  });
}

/** Where a Chromium is installed: `CHROMIUM_PATH`, or where Debian's package puts it. */
export const chromiumPath = [
  process.env['CHROMIUM_PATH'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
].find((path) => path !== undefined && existsSync(path));

export const howToInstall = 'no Chromium: apt-get install chromium, or set CHROMIUM_PATH';
