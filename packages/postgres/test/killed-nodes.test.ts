import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { connectionString, newPool, newSchema, openStore } from './helpers.ts';

/** `pnpm --filter @chairside/postgres killed-nodes` sets ten; else the test ends after eight kills. */
const minutes = Number(process.env['CHAIRSIDE_MINUTES'] ?? 0);
const fewestKills = 8;
/** A node is killed after each such number of acknowledged commits: every few seconds. */
const commitsBetween = minutes === 0 ? 150 : 1000;
const nodeCount = 4;

interface WritingNode {
  readonly child: ChildProcess;
  readonly ended: Promise<unknown>;
  /** The number of its acknowledged commits. */
  acknowledged: number;
}

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0);

/** The version that replaces each killed node. Meanwhile the others write. */
type Version = 'released' | 'next';
const always: readonly Version[] = ['released'];
/** An earlier node restarts on the newer schema; at the end all of them do, without a backup. */
const upgradeAndRollback: readonly Version[] = [
  ...(['next', 'released', 'next', 'next'] as const),
  ...(['next', 'released', 'released', 'released'] as const),
];

it.each([
  { nodes: 'four nodes, one of which is killed repeatedly,', replacements: always },
  {
    nodes: 'nodes of two versions, in an upgrade and a rollback,',
    replacements: upgradeAndRollback,
  },
])(
  '$nodes lose no update, and none waits for ever',
  async ({ replacements }) => {
    const schema = newSchema();
    const store = await openStore({ schema });
    const acknowledged: string[] = [];
    /** By id, what else was answered: a starved server may be silent for longer than the deadline. */
    const unavailable = new Map<string, string>();
    const nodes: WritingNode[] = [];
    let longestMs = 0;
    let started = 0;
    let isComplaining = false;

    function start(version: Version): WritingNode {
      started += 1;
      const flags = ['--no-warnings', '--conditions=@chairside/source'];
      const program = new URL('./fixtures/writing-node.ts', import.meta.url).pathname;
      const args = [...flags, program, connectionString, schema, `node${started}`, version];
      const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
      const node: WritingNode = { child, ended: once(child, 'close'), acknowledged: 0 };
      createInterface({ input: child.stdout }).on('line', (line) => {
        const [, id = '', ms, told] = /^(\S+) (\d+) (.+)$/.exec(line) ?? [];
        // A line may be cut off where its process was killed.
        if (told === undefined) return;
        longestMs = Math.max(longestMs, Number(ms));
        if (told !== 'ok') {
          unavailable.set(id, told);
          return;
        }
        acknowledged.push(id);
        node.acknowledged += 1;
      });
      child.once('exit', (code) => {
        if (code !== null && code !== 0) isComplaining = true;
      });
      return node;
    }

    /** Checks again at the end of each turn of a timer; the runner's time limit ends it. */
    async function until(holds: () => boolean): Promise<void> {
      while (!holds()) {
        expect(isComplaining).toBe(false);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }

    onTestFinished(() => {
      for (const { child } of nodes) child.kill('SIGKILL');
    });
    const begunAt = performance.now();
    for (let index = 0; index < nodeCount; index += 1) nodes.push(start('released'));
    let kills = 0;
    for (; kills < fewestKills || performance.now() - begunAt < minutes * 60_000; kills += 1) {
      const enough = acknowledged.length + commitsBetween;
      await until(() => acknowledged.length >= enough);
      const place = kills % nodeCount;
      nodes[place]?.child.kill('SIGKILL');
      await nodes[place]?.ended;
      nodes[place] = start(replacements[kills % replacements.length] ?? 'released');
    }
    // No node waits for a dead one.
    const before = nodes.map((node) => node.acknowledged);
    await until(() => nodes.every((node, index) => node.acknowledged > (before[index] ?? 0) + 20));
    for (const { child } of nodes) child.stdin?.end();
    await Promise.all(nodes.map(({ ended }) => ended));

    const { rows } = await newPool().query<{ id: string }>(
      `SELECT id FROM "${schema}".chairside_payments`,
    );
    const stored = new Set(rows.map(({ id }) => id));
    expect(acknowledged.filter((id) => !stored.has(id))).toStrictEqual([]);
    const notApplied = [...unavailable].filter(([, told]) => told !== '"unknown"');
    for (const [id, told] of notApplied)
      expect([told, stored.has(id)]).toEqual(['"notApplied"', false]);
    // A killed node may have written up to four more, each of them whole.
    expect(stored.size).toBeLessThanOrEqual(acknowledged.length + unavailable.size + 4 * kills);
    const ledgers = await Promise.all(
      Array.from({ length: 6 }, (_, index) => store.ledgers.get(`hot ${index}`)),
    );
    const moved = ledgers.map((ledger) => ledger._unsafeUnwrap());
    expect(sumOf(moved.map(({ openPayments }) => openPayments))).toBe(2 * stored.size);
    expect(sumOf(moved.map(({ reservedMinor }) => Number(reservedMinor)))).toBe(2 * stored.size);
    const { rows: versions } = await newPool().query<{ version: string }>(
      `SELECT max(version) AS version FROM "${schema}".chairside_migrations`,
    );
    expect(versions[0]?.version).toBe(replacements.includes('next') ? '2' : '1');
    await store.close();
    const seconds = Math.round((performance.now() - begunAt) / 1000);
    console.log(
      `${acknowledged.length} commits acknowledged, ${unavailable.size} unavailable, ${stored.size} stored, ${kills} nodes killed in ` +
        `${seconds} s; the slowest commit took ${longestMs} ms`,
    );
  },
  (minutes + 3) * 60_000,
);
