import type { Business } from '../../domain/business.ts';
import type { Span } from '../../domain/business-day.ts';
import type { Steps } from '../../domain/result.ts';
import type { Payout } from '../../domain/settlement.ts';
import {
  agrees,
  type DayRecords,
  isAwaited,
  type PaymentTrace,
  pairDay,
  type StatementLine,
} from '../../domain/statement.ts';
import type { EpochMs } from '../../domain/time.ts';
import type { Ports } from '../../ports/ports.ts';
import type { StoreUnavailable } from '../../ports/store.ts';
import { ledgerOf } from '../ask.ts';

/** Records of one kind that a statement reads at most. A shop takes a payment each second with fewer. */
const maxRecords = 20_000;
/** Records of one payment that explain a difference. */
const maxTraced = 1000;
/** Payments that are looked up together. */
const tracedAtOnce = 100;
/** Payouts that paid a failed one again, one after the other. */
const maxReplacements = 10;

/** Everything that a statement is computed from. */
export interface DayRead {
  readonly records: DayRecords;
  readonly lines: readonly StatementLine[];
  readonly traces: ReadonlyMap<string, PaymentTrace>;
  /** By our ids of the payouts in the entries: the payout that pays them now. */
  readonly payouts: ReadonlyMap<string, Payout>;
  /** The processor's entries were read to this time; `undefined` if it lists none. */
  readonly readUntil: EpochMs | undefined;
  /** Upkeep has compared our records with the processor's to this time. */
  readonly sweptBefore: EpochMs;
}

/** Reads a day; `undefined` if it has too many records. */
export async function* readDay(
  ports: Ports,
  { id, processorAccount }: Business,
  span: Span,
): Steps<DayRead | undefined, StoreUnavailable> {
  const { store, processor } = ports;
  const limit = maxRecords + 1;
  const account = processorAccount?.id ?? '';
  // Begun and awaited together, so that a store reads them at once (D71), and one that rejects leaves
  // no rejected promise behind.
  const reads = await Promise.all([
    store.payments.listCaptured(id, span, limit),
    store.movements.list(id, span, limit),
    store.settlements.list(id, span, limit),
    store.settlements.listUnknown(account, span, limit),
  ]);
  const captures = yield* reads[0];
  const movements = yield* reads[1];
  const known = yield* reads[2];
  const unknown = [...(yield* reads[3])];
  // A shop may have another account since: the lists of the day's own accounts count.
  const used = new Set([...captures, ...movements, ...known].map((record) => record.account));
  for (const other of used) {
    if (other === account) continue;
    unknown.push(...(yield* await store.settlements.listUnknown(other, span, limit)));
  }
  const all = [captures, movements, known, unknown];
  if (all.some(({ length }) => length > maxRecords)) return undefined;

  const { sweptBefore, listedBefore } = yield* readSweeps(ports, used.size > 0 ? used : [account]);
  const readUntil = processor.settlements === undefined ? undefined : listedBefore;
  const barbers = new Set(captures.map(({ appointment }) => appointment.barber.id));
  const traces = new Map<string, PaymentTrace>();
  // A payment may have got its record after its entry, or belong to another shop of the account.
  yield* trace(ports, traces, unknown);
  const entries = [
    ...known,
    ...unknown.filter(({ paymentId }) => {
      const payment = traces.get(paymentId)?.payment;
      return payment === undefined || payment.businessId === id;
    }),
  ];
  const records = { captures, movements, entries };
  const lines = pairDay(records);
  const differing = lines.filter(
    (line) => readUntil !== undefined && !agrees(line) && !isAwaited(line, readUntil),
  );
  const unnamed = lines.filter(({ barberId = '' }) => !barbers.has(barberId));
  yield* trace(ports, traces, [...differing, ...unnamed]);
  const payouts = yield* readPayouts(ports, lines);
  return { records, lines, traces, payouts, readUntil, sweptBefore };
}

/** How far all ledgers of these accounts were compared, and how far their entries were read. */
async function* readSweeps(
  ports: Ports,
  accounts: Iterable<string>,
): Steps<{ readonly sweptBefore: EpochMs; readonly listedBefore: EpochMs }, StoreUnavailable> {
  // A ledger that no payment of ours has used has nothing to read.
  let sweptBefore = ports.clock.now();
  let listedBefore = sweptBefore;
  for (const ledger of new Set([...accounts].map((account) => ledgerOf(ports, account)))) {
    const swept = yield* await ports.store.sweeps.get(ledger);
    if (swept === undefined) continue;
    sweptBefore = Math.min(sweptBefore, swept.sweptBefore);
    const { sweptBefore: listed } = swept.lists?.settlements ?? swept;
    listedBefore = Math.min(listedBefore, listed);
  }
  return { sweptBefore, listedBefore };
}

async function* trace(
  { store }: Ports,
  traces: Map<string, PaymentTrace>,
  meant: readonly { readonly paymentId: string }[],
): Steps<void, StoreUnavailable> {
  const ids = [...new Set(meant.map(({ paymentId }) => paymentId))].filter((id) => !traces.has(id));
  for (let from = 0; from < ids.length; from += tracedAtOnce) {
    const reads = await Promise.all(
      ids
        .slice(from, from + tracedAtOnce)
        .map((id) =>
          Promise.all([
            id,
            store.payments.get(id),
            store.movements.listByPayment(id, maxTraced),
            store.settlements.listByPayment(id, maxTraced),
          ]),
        ),
    );
    for (const [id, payment, movements, entries] of reads) {
      traces.set(id, {
        payment: yield* payment,
        movements: yield* movements,
        entries: yield* entries,
      });
    }
  }
}

async function* readPayouts(
  { store }: Ports,
  lines: readonly StatementLine[],
): Steps<ReadonlyMap<string, Payout>, StoreUnavailable> {
  const payouts = new Map<string, Payout>();
  const ids = new Set(lines.flatMap(({ paid }) => paid.map(({ payoutId }) => payoutId)));
  for (const id of ids) {
    let payout = yield* await store.payouts.get(id);
    for (let hops = 1; payout?.replacedBy !== undefined && hops <= maxReplacements; hops += 1) {
      const next: Payout | undefined = yield* await store.payouts.get(payout.replacedBy);
      if (next === undefined) break;
      payout = next;
    }
    if (payout !== undefined) payouts.set(id, payout);
  }
  return payouts;
}
