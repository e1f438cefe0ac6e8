import type { Pool } from 'pg';

/** The place of a shop group. Its schema has the group's name. */
interface Place {
  readonly server: string;
  /** Set during a move. No node uses the group meanwhile. */
  readonly movingTo?: string;
  /** Counts moves. */
  readonly version: number;
}

interface Row {
  readonly server: string;
  readonly moving_to: string | null;
  readonly version: number;
}

/** The one table that every node reads before it serves a shop. */
export interface Directory {
  find(group: string): Promise<Place | undefined>;
  add(group: string, server: string): Promise<void>;
  /** Begins a move, or returns the one that was begun. */
  begin(group: string, to: string): Promise<Place>;
  /** Ends the move: from now on nodes use the other server. */
  end(group: string, to: string): Promise<void>;
}

export async function openDirectory(pool: Pool): Promise<Directory> {
  await pool.query(`CREATE TABLE IF NOT EXISTS shop_groups (
    name TEXT PRIMARY KEY, server TEXT NOT NULL, moving_to TEXT, version INT NOT NULL DEFAULT 0)`);

  async function find(group: string): Promise<Place | undefined> {
    const { rows } = await pool.query<Row>('SELECT * FROM shop_groups WHERE name = $1', [group]);
    const [row] = rows;
    if (row === undefined) return undefined;
    const { server, moving_to, version } = row;
    return { server, version, ...(moving_to !== null && { movingTo: moving_to }) };
  }

  return {
    find,
    async add(group, server) {
      await pool.query(
        'INSERT INTO shop_groups (name, server) VALUES ($1, $2) ON CONFLICT DO NOTHING',
        [group, server],
      );
    },
    async begin(group, to) {
      await pool.query(
        `UPDATE shop_groups SET moving_to = $2, version = version + 1
         WHERE name = $1 AND moving_to IS NULL AND server <> $2`,
        [group, to],
      );
      const place = await find(group);
      const isTo = place?.server === to || place?.movingTo === to;
      if (place === undefined || !isTo) throw new Error(`${group} is unknown, or moves elsewhere`);
      return place;
    },
    async end(group, to) {
      await pool.query(
        'UPDATE shop_groups SET server = $2, moving_to = NULL WHERE name = $1 AND moving_to = $2',
        [group, to],
      );
    },
  };
}
