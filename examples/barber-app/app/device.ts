import { randomUUID } from 'expo-crypto';
import { openDatabaseSync } from 'expo-sqlite';

/** Created once and stored, because the terminal is registered under it, also after a restart. */
export function deviceIdentifier(): string {
  const id = randomUUID();
  try {
    const db = openDatabaseSync('device.db', { useNewConnection: true });
    try {
      db.execSync('CREATE TABLE IF NOT EXISTS device (id TEXT NOT NULL)');
      const kept = db.getFirstSync<{ id: string }>('SELECT id FROM device');
      if (kept !== null) return kept.id;
      db.runSync('INSERT INTO device (id) VALUES (?)', [id]);
    } finally {
      db.closeSync();
    }
  } catch {
    // Until the next start, the phone has a terminal of its own. That is better than an app that does not start.
  }
  return id;
}
