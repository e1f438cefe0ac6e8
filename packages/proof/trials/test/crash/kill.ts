import type { Random } from '../fuzz/random.ts';
import type { Child } from './child.ts';
import type { Client } from './client.ts';
import type { ProcessorCalls, Trap } from './processor-process.ts';
import type { LossWay, ServerCalls } from './server-process.ts';

/** The moment of a server's death. */
export const phases = [
  'any moment',
  'an answer was read',
  'a payment was opened, and not answered',
  'a payment was to be opened',
  'a payment was captured, and not answered',
  'a payment was to be captured',
  'a refund was made, and not answered',
  'a refund was to be made',
  'a file of its database was lost',
] as const;
export type Phase = (typeof phases)[number];

const traps: Readonly<Partial<Record<Phase, Pick<Trap, 'route' | 'isApplied'>>>> = {
  'a payment was opened, and not answered': { route: 'createPaymentIntent', isApplied: true },
  'a payment was to be opened': { route: 'createPaymentIntent', isApplied: false },
  'a payment was captured, and not answered': { route: 'capturePaymentIntent', isApplied: true },
  'a payment was to be captured': { route: 'capturePaymentIntent', isApplied: false },
  'a refund was made, and not answered': { route: 'createRefund', isApplied: true },
  'a refund was to be made': { route: 'createRefund', isApplied: false },
};

const lossWays: readonly [LossWay, ...LossWay[]] = ['openedTwice', 'shmDeleted'];
const maxMoves = 200;
const maxPayments = 40;
const maxPauseMs = 20;

export interface Target {
  readonly server: Child<ServerCalls>;
  readonly processor: Child<ProcessorCalls>;
  readonly client: Client;
}

/** Kills the server at a random moment. Resolves when it has ended. */
export async function killSometime(target: Target, phase: Phase, random: Random): Promise<void> {
  const { server, processor, client } = target;
  const trap = traps[phase];
  if (trap !== undefined) {
    const after = random.below(maxPayments);
    await processor.ask('setTrap', { ...trap, pid: server.pid, after });
  } else if (phase === 'a file of its database was lost') {
    await moves(client, 'answered', 1 + random.below(maxMoves));
    await server.ask('loseFile', random.pick(lossWays));
    await moves(client, 'answered', 1 + random.below(maxMoves));
    await server.kill();
  } else {
    const move = phase === 'any moment' ? 'sent' : 'answered';
    await moves(client, move, 1 + random.below(maxMoves));
    const pauseMs = phase === 'any moment' ? random.below(maxPauseMs) : 0;
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    await server.kill();
  }
  await server.ended;
}

function moves(client: Client, kind: 'sent' | 'answered', count: number): Promise<void> {
  let left = count;
  return new Promise((resolve) => {
    client.onMove = (move) => {
      if (move === kind) left -= 1;
      if (left > 0) return;
      client.onMove = () => undefined;
      resolve();
    };
  });
}
