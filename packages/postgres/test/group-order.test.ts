import type { Commit } from '@chairside/core/ports';
import { afterEach, expect, it } from 'vitest';
import type { PostgresStore } from '../src/index.ts';
import { commitOf, moveOf, newSchema, openStore } from './helpers.ts';

const open: PostgresStore[] = [];
afterEach(async () => {
  for (const store of open.splice(0)) await store.close();
});

const rounds = 12;
const appointments = Array.from({ length: 24 }, (_, index) => `appointment-${index}`);

/** Two nodes that send groups of commits at the same moment. */
async function twoNodes() {
  const schema = newSchema();
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  // Long, so that no commit fails on a slow machine.
  const options = { schema, onError, deadlineMs: 60_000 };
  for (let node = 0; node < 2; node += 1) open.push(await openStore(options));
  const [first, second] = open;
  if (first === undefined || second === undefined) throw new Error('There are two nodes');
  return { nodes: [first, second], errors } as const;
}

async function openPayments(store: PostgresStore): Promise<readonly number[]> {
  const ledgers = await Promise.all(appointments.map((id) => store.ledgers.get(id)));
  return ledgers.map((ledger) => ledger._unsafeUnwrap().openPayments);
}

it.each([
  ['one appointment each', (ids: readonly string[]) => ids.map((id) => [id])],
  [
    'three appointments each',
    (ids: readonly string[]) =>
      ids.map((_, index) => [0, 7, 13].map((by) => ids[(index + by) % ids.length] ?? '')),
  ],
])(
  'groups of two nodes that change the same appointments in opposite order lose no update: %s',
  async (_what, touched) => {
    const { nodes, errors } = await twoNodes();
    const sent = touched(appointments);
    for (let round = 0; round < rounds; round += 1) {
      const answers = await Promise.all(
        nodes.flatMap((store, node) => {
          const inOrder = node === 0 ? sent : sent.toReversed().map((ids) => ids.toReversed());
          const commits = inOrder.map(
            (ids, index): Commit =>
              commitOf(`${round} ${node} ${index}`, ...ids.map((id) => moveOf(id))),
          );
          return commits.map((commit) => store.commit(commit));
        }),
      );
      for (const answer of answers) answer._unsafeUnwrap();
    }
    const movesEach = sent.flat().length / appointments.length;
    const expected = appointments.map(() => 2 * rounds * movesEach);
    for (const store of nodes) expect(await openPayments(store)).toStrictEqual(expected);
    // Both request their turns in one order, so that no deadlock occurred.
    expect(errors).toStrictEqual([]);
  },
);

it('groups of two nodes that replace the same records in opposite order end their deadlock', async () => {
  const { nodes } = await twoNodes();
  const ids = appointments.slice(0, 8);
  // No appointment is shared, so the nodes do not take turns.
  const put = (id: string, node: number): Commit =>
    commitOf(
      `${node} ${id}`,
      { kind: 'putBarber', barber: { id, businessId: `${node}` } },
      moveOf(`own ${node}`),
    );
  const answers = await Promise.all(
    nodes.flatMap((store, node) => {
      const inOrder = node === 0 ? ids : ids.toReversed();
      return inOrder.map((id) => store.commit(put(id, node)));
    }),
  );
  for (const answer of answers) answer._unsafeUnwrap();
  for (const [node, store] of nodes.entries()) {
    expect((await store.ledgers.get(`own ${node}`))._unsafeUnwrap().openPayments).toBe(ids.length);
  }
  const barbers = await Promise.all(ids.map((id) => nodes[0].barbers.get(id)));
  for (const barber of barbers) expect(barber._unsafeUnwrap()?.businessId).toMatch(/^[01]$/);
});
