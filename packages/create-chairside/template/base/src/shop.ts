import {
  type AuthContext,
  type CloudEvent,
  createChairside,
  moneyEntryOf,
  type ProcessorAccount,
  ResultAsync,
} from '@chairside/core';
import type { Processor, StoreUnavailable } from '@chairside/core/ports';
import { chairsideHandler, processorEventsHandler } from '@chairside/h3';
import { addExamples, barber, business, toAppointment } from './appointments.ts';
import { openDatabase } from './database.ts';
import { repeat, upkeep } from './upkeep.ts';

/** Who calls. Look up your own sessions here. */
const ada: AuthContext = { subject: 'user-ada', barberId: barber.id };
const authenticate = (token: string) => (token === 'session-of-ada' ? ada : undefined);

export interface ShopOptions {
  readonly processor: Processor & { readonly close?: () => void };
  /** The account that the shop's payments go to. */
  readonly account: ProcessorAccount;
  /** Says what keeps the account from taking cards. */
  readonly check?: () => Promise<void>;
  /** Whether it does its regular work. Default: true; the operator's command only looks. */
  readonly isServing?: boolean;
}

export type Shop = Awaited<ReturnType<typeof openShop>>;

/** The shop's appointments, and card payments for them. */
export async function openShop(options: ShopOptions) {
  const installation = process.env['INSTALLATION'];
  if (!installation) throw new Error('Set INSTALLATION in .env, as .env.example does.');
  const database = await openDatabase();
  try {
    return await serve(options, database, installation);
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function serve(
  { processor, account, check, isServing = true }: ShopOptions,
  { appointments, close: closeDatabase, ...ports }: Awaited<ReturnType<typeof openDatabase>>,
  installation: string,
) {
  await addExamples(appointments);
  const read = async (id: string) => {
    const row = await appointments.get(id);
    return row && toAppointment(row);
  };
  const chairside = createChairside({
    ...ports,
    processor,
    installation, // Chairside knows its payments by this mark: never change it
    store: {
      ...ports.store,
      appointments: { get: (id: string) => ResultAsync.fromPromise(read(id), unavailable) },
    },
    // What your own code threw, or why Chairside cannot use its rows: clients see only a 5xx.
    onFailure: (thrown, { name }) => console.error(`${name}: ${thrown}`),
  });
  for (const put of [
    await chairside.records.putBusiness({ ...business, processorAccount: account }),
    await chairside.records.putBarber({ id: barber.id, businessId: business.id }),
  ]) {
    if (put.isErr()) throw new Error(put.error.detail);
  }

  async function deliver(event: CloudEvent): Promise<void> {
    const entry = moneyEntryOf(event);
    // Chairside delivers the event again after an error.
    if (entry.isErr()) throw new Error(`${entry.error} event`);
    if (entry.value !== undefined) await appointments.record(entry.value);
  }

  const onFailure = (thrown: unknown, id: string) => console.error(`request ${id}: ${thrown}`);
  //#if next
  // A caller can write all of `X-Forwarded-For` but what your own proxies append to it.
  const proxies = Number(process.env['TRUSTED_PROXIES'] ?? 0);
  //#end
  const payments = chairsideHandler(chairside, {
    authenticate,
    basePath: '/payments',
    onFailure,
    //#if next
    clientAddress: ({ req }) =>
      proxies > 0 ? req.headers.get('x-forwarded-for')?.split(',').at(-proxies)?.trim() : undefined,
    //#end
  });
  payments.all('/processor/events', processorEventsHandler(chairside, { onFailure }));

  if (isServing) await check?.();
  const work = () => upkeep(chairside, deliver);
  const stop = isServing ? repeat(work) : undefined;

  async function close(): Promise<void> {
    await stop?.();
    await chairside.settled();
    processor.close?.();
    await closeDatabase();
  }

  return { chairside, deliver, appointments, payments, upkeep: work, close };
}

/** A failed read changed nothing. */
function unavailable(cause: unknown): StoreUnavailable {
  return { kind: 'storeUnavailable', outcome: 'notApplied', cause };
}
