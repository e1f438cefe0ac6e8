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

const upkeepEveryMs = 3000;

/** Who calls. Look up your own sessions here. */
const ada: AuthContext = { subject: 'user-ada', barberId: barber.id };
const authenticate = (token: string) => (token === 'session-of-ada' ? ada : undefined);

export interface ShopOptions {
  readonly processor: Processor;
  /** The account that the shop's payments go to. */
  readonly account: ProcessorAccount;
  /** Whether it does its regular work. Default: true; the operator's command only looks. */
  readonly isServing?: boolean;
}

export type Shop = Awaited<ReturnType<typeof openShop>>;

/** The shop's appointments, and card payments for them. */
export async function openShop({ processor, account, isServing = true }: ShopOptions) {
  const { appointments, close: closeDatabase, ...ports } = await openDatabase();
  await addExamples(appointments);
  const read = async (id: string) => {
    const row = await appointments.get(id);
    return row && toAppointment(row);
  };
  const chairside = createChairside({
    ...ports,
    processor,
    store: {
      ...ports.store,
      appointments: { get: (id: string) => ResultAsync.fromPromise(read(id), unavailable) },
    },
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

  /** Finishes interrupted payments, and passes events to `deliver`. */
  async function upkeep(): Promise<void> {
    const report = await chairside.upkeep({ deliver });
    if (report.isErr()) console.error(`upkeep: ${report.error.detail}`);
  }

  const payments = chairsideHandler(chairside, { authenticate, basePath: '/payments' });
  payments.all('/processor/events', processorEventsHandler(chairside));

  let running: Promise<void> | undefined;
  const work = () => {
    // One run at a time: a long one leaves no queue behind it.
    running ??= upkeep().finally(() => {
      running = undefined;
    });
  };
  const timer = isServing ? setInterval(work, upkeepEveryMs) : undefined;

  async function close(): Promise<void> {
    clearInterval(timer);
    await running;
    await chairside.settled();
    await closeDatabase();
  }

  return { chairside, deliver, appointments, payments, upkeep, close };
}

/** A failed read changed nothing. */
function unavailable(cause: unknown): StoreUnavailable {
  return { kind: 'storeUnavailable', outcome: 'notApplied', cause };
}
