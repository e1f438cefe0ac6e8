import { randomUUID } from 'expo-crypto';
import { openDatabaseSync } from 'expo-sqlite';

/** Created once and stored, because the terminal is registered under it, also after a restart. */
export function deviceIdentifier(): string {
  const db = openDatabaseSync('device.db');
  db.execSync('CREATE TABLE IF NOT EXISTS device (id TEXT NOT NULL)');
  const kept = db.getFirstSync<{ id: string }>('SELECT id FROM device');
  if (kept !== null) return kept.id;
  const id = randomUUID();
  db.runSync('INSERT INTO device (id) VALUES (?)', [id]);
  return id;
}
