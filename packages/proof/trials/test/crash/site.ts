import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hourMs, minuteMs } from '@chairside/core';
import { openSqliteStore } from '@chairside/sqlite';
import type { StripeCardName } from '@chairside/stripe-stand-in';
import { createRandom } from '../fuzz/random.ts';
import { check } from './check.ts';
import { type Child, type SpawnOptions, spawnChild } from './child.ts';
import { type Client, createClient } from './client.ts';
import type { ProcessorCalls } from './processor-process.ts';
import type { ServerCalls, ServerSetup } from './server-process.ts';
import { visit } from './visit.ts';

export interface StartOptions
  extends SpawnOptions,
    Pick<ServerSetup, 'failingCommit' | 'maxPages'> {
  /** The number of processes that share the database. Default: one. */
  readonly servers?: number;
}

/** A database, the processor beside it, clients, and replaceable servers. */
export interface Site {
  readonly client: Client;
  readonly processor: Child<ProcessorCalls>;
  /** The running servers. */
  readonly servers: () => readonly Child<ServerCalls>[];
  /** The number of payments that the processor had captured at the last check. */
  readonly captured: () => number;
  /** The number of refunds that the processor had made at the last check. */
  readonly refunds: () => number;
  /** Starts servers, lets them finish interrupted work, checks, and admits the clients. */
  start(options?: StartOptions): Promise<void>;
  /** Reports a killed server. Other servers may take over its work at once. */
  bury(server: Child<ServerCalls>): Promise<void>;
  /** Kills the running servers, and waits until the clients know. */
  killAll(): Promise<void>;
  /** Lets the clients finish, and every time limit pass. */
  finish(): Promise<void>;
  /** Ends all processes. Returns the folder of the files after a failure. */
  close(): Promise<string | undefined>;
  /** The broken promises. */
  readonly violations: readonly string[];
}

/** The number of phones in a large shop. */
const manyLanes = 16;
const maxLooks = 30;

/**
 * @param lanes the number of concurrent clients, each of which pays one appointment after the
 * other.
 */
export async function openSite(seed: number, { lanes = manyLanes } = {}): Promise<Site> {
  const folder = mkdtempSync(join(tmpdir(), 'chairside-crash-'));
  const databasePath = join(folder, 'chairside.db');
  const processor = spawnChild<ProcessorCalls>('processor-process.ts', {});
  const { port: processorPort } = await processor.ask('listen');
  const client = createClient();
  const violations: string[] = [];
  let running: Child<ServerCalls>[] = [];
  let aheadMs = 0;
  let captured = 0;
  let refunds = 0;
  let isClosing = false;
  let appointments = 0;

  const phones = Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      const random = createRandom(seed * manyLanes + lane);
      const present = (clientSecret: string, card: StripeCardName) =>
        processor.ask('present', clientSecret, card);
      while (!isClosing) await visit({ client, random, present }, `appointment-${++appointments}`);
    }),
  );

  /** No request may be running meanwhile. */
  async function settle(isOver: boolean): Promise<void> {
    for (let looks = 1, looked = 1; looked > 0; looks += 1) {
      const settled = await Promise.all(running.map((server) => server.ask('settle')));
      looked = settled.reduce((sum, one) => sum + one.looked, 0);
      const needReview = settled.flatMap((one) => one.needReview);
      if (needReview.length > 0) violations.push(`${needReview} need review`);
      if (looks === maxLooks) violations.push('reconciling comes to no end');
      if (looks === maxLooks) break;
      // Calls that the processor did not reply to are repeated later.
      await setAhead(aheadMs + minuteMs);
    }
    const entries = await processor.ask('entries');
    captured = entries.filter(({ status }) => status === 'captured').length;
    refunds = entries.reduce((sum, entry) => sum + (entry.refunds?.length ?? 0), 0);
    const store = openSqliteStore(databasePath);
    if (store.isErr()) throw new Error(store.error.message);
    violations.push(...(await check({ log: client.log, store: store.value, entries, isOver })));
    await store.value.close();
  }

  async function setAhead(next: number): Promise<void> {
    aheadMs = next;
    await Promise.all([processor, ...running].map((child) => child.ask('setAhead', next)));
  }

  const site: Site = {
    client,
    processor,
    servers: () => running,
    captured: () => captured,
    refunds: () => refunds,
    violations,

    async start({ servers = 1, failingCommit, maxPages, ...spawning } = {}) {
      const setup: ServerSetup = {
        databasePath,
        processorPort,
        aheadMs,
        ...(failingCommit !== undefined && { failingCommit }),
        ...(maxPages !== undefined && { maxPages }),
      };
      running = Array.from({ length: servers }, () =>
        spawnChild<ServerCalls>('server-process.ts', setup, spawning),
      );
      const listening = await Promise.all(running.map((server) => server.ask('listen')));
      await settle(false);
      await Promise.all(running.map((server) => server.ask('keepUp')));
      client.connectTo(listening.map(({ url }) => url));
    },

    async bury(server) {
      running = running.filter((one) => one !== server);
      await setAhead(aheadMs + minuteMs);
    },

    async killAll() {
      for (const server of running) {
        await server.kill();
        await site.bury(server);
      }
      client.connectTo([]);
      await client.idle();
    },

    async finish() {
      isClosing = true;
      await phones;
      // Longer than the two days for which Stripe holds these cards; keys are kept longer.
      await setAhead(aheadMs + 50 * hourMs);
      await settle(true);
    },

    async close() {
      await site.killAll();
      await processor.kill();
      if (violations.length > 0) return folder;
      rmSync(folder, { recursive: true });
      return undefined;
    },
  };
  return site;
}
