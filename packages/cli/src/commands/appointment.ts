import { type Appointment, err, ok, Result } from '@chairside/core';
import {
  type Kept,
  type Ledger,
  type Payment,
  type Ports,
  readKept,
  type Store,
  type StoreUnavailable,
  type Tender,
} from '@chairside/core/ports';
import { command } from '../command.ts';
import { viewPayment, viewTender } from '../compare.ts';
import { col, right, type Screen } from '../screen.ts';
import { countText, moneyText, storeText, timestampText, timeText } from '../words.ts';

/** A list of the core has at most this many. */
const mostPayments = 1000;
const mostShown = 50;

export const appointment = command({
  name: 'appointment',
  takes: ['ID'],
  summary: 'shows what a visit owes and what was taken, with every payment and charge',
  async run({ chairside: { ports }, during }, _, [id = '']) {
    const { store } = ports;
    const reads = await during(
      'reading the appointment',
      Promise.all([
        store.appointments.get(id),
        store.ledgers.get(id),
        listPayments(store, id),
        store.tenders.listByAppointment(id, mostPayments),
      ]),
    );
    const read = Result.combine(reads);
    if (read.isErr()) return err(storeText(read.error));
    const [visit, ledger, payments, tenders] = read.value;
    if (visit === undefined && payments.length + tenders.length === 0)
      return err(`There is no appointment ${id}.`);
    const inReview = payments.filter(({ review }) => review !== undefined);
    const dueMinor = visit?.amountDueMinor;
    const reading = keptOf(ports, { id, amountDueMinor: dueMinor ?? 0n }, visit?.businessId);
    const kept = await during('reading the refunds', reading);
    if (kept.isErr()) return err(storeText(kept.error));
    const paidMinor = ledger.capturedMinor + (ledger.tenderedMinor ?? 0n);
    const openMinor = dueMinor === undefined ? undefined : dueMinor - paidMinor;
    const leftMinor = openMinor !== undefined && openMinor < 0n ? 0n : openMinor;
    const returnedMinor = kept.value && paidMinor - kept.value.keptMinor;
    // The host may forget old visits, and what it does not know cannot be given back.
    const excessMinor = visit === undefined ? 0n : kept.value?.excessMinor;
    const balance: Balance = { ledger, dueMinor, leftMinor, returnedMinor, excessMinor };
    return ok({
      document: {
        appointment:
          visit === undefined
            ? null
            : {
                id,
                businessId: visit.businessId,
                occursOn: visit.occursOn,
                barberId: visit.barber.id,
              },
        balance: {
          currency: ledger.currency,
          dueMinor: dueMinor === undefined ? null : `${dueMinor}`,
          capturedMinor: `${ledger.capturedMinor}`,
          tenderedMinor: `${ledger.tenderedMinor ?? 0n}`,
          reservedMinor: `${ledger.reservedMinor}`,
          returnedMinor: returnedMinor === undefined ? null : `${returnedMinor}`,
          leftMinor: leftMinor === undefined ? null : `${leftMinor}`,
          excessMinor: excessMinor === undefined ? null : `${excessMinor}`,
          openPayments: ledger.openPayments,
        },
        payments: payments.map(viewPayment),
        tenders: tenders.map(viewTender),
      },
      needsPerson: inReview.length > 0 || excessMinor !== 0n,
      draw(screen: Screen) {
        drawVisit(screen, id, visit);
        drawBalance(screen, balance, payments);
        drawPayments(screen, id, payments);
        drawTenders(screen, tenders);
        for (const { id: paymentId, review } of inReview) {
          screen.line(`In review (${review}):`, 'bad');
          screen.line(`→ chairside payment ${paymentId}`);
        }
      },
    });
  },
});

function drawVisit(screen: Screen, id: string, visit: Appointment | undefined): void {
  screen.part(`Appointment ${id}`);
  if (visit === undefined) {
    screen.line('The host does not know it, so what it owes is not known.', 'warning');
    return;
  }
  const { barber, location } = visit;
  screen.facts([
    ['Business', visit.businessId],
    ['Barber', `${barber.givenName} ${barber.surname} (${barber.id})`],
    ['Location', `${location.shopName}, ${location.name}`],
    ['Occurs on', `${timestampText(visit.occursOn)} UTC`],
    ['Customer', visit.customerId],
  ]);
}

/** Amounts without tips, which nobody owes. */
interface Balance {
  readonly ledger: Ledger;
  /** `undefined` without a visit. */
  readonly dueMinor: bigint | undefined;
  readonly leftMinor: bigint | undefined;
  /** `undefined` if amounts are in several currencies. */
  readonly returnedMinor: bigint | undefined;
  readonly excessMinor: bigint | undefined;
}

async function keptOf(
  ports: Pick<Ports, 'store'>,
  appointment: Pick<Appointment, 'id' | 'amountDueMinor'>,
  businessId = '',
): Promise<Result<Kept | undefined, StoreUnavailable>> {
  const business = await ports.store.businesses.get(businessId);
  return business.isOk() ? readKept(ports, appointment, business.value) : err(business.error);
}

/** The payments that were opened for a visit, and others of which it has a share. */
async function listPayments(
  { payments, shares }: Store,
  id: string,
): Promise<Result<readonly Payment[], StoreUnavailable>> {
  const opened = await payments.listByAppointment(id, mostPayments);
  if (opened.isErr()) return err(opened.error);
  const entries = await shares.listByAppointment(id, mostPayments);
  if (entries.isErr()) return err(entries.error);
  const others: Payment[] = [];
  const known = new Set(opened.value.map((one) => one.id));
  for (const { paymentId } of entries.value) {
    if (known.has(paymentId)) continue;
    known.add(paymentId);
    const other = await payments.get(paymentId);
    if (other.isErr()) return err(other.error);
    if (other.value !== undefined) others.push(other.value);
  }
  return ok([...opened.value, ...others]);
}

function drawBalance(screen: Screen, balance: Balance, payments: readonly Payment[]): void {
  const { ledger, dueMinor, leftMinor, returnedMinor = 0n, excessMinor } = balance;
  const { capturedMinor, reservedMinor, tenderedMinor, openPayments } = ledger;
  const currency = ledger.currency ?? payments.at(-1)?.currency ?? '';
  const money = (minor: bigint) => moneyText(minor, currency).trim();
  screen.part('Balance, without tips');
  screen.facts([
    ['Due in all', dueMinor === undefined ? undefined : money(dueMinor)],
    ['Captured', money(capturedMinor)],
    ['Paid otherwise', tenderedMinor === undefined ? undefined : money(tenderedMinor)],
    [
      'Given back',
      returnedMinor === 0n
        ? undefined
        : `${money(returnedMinor)}, by refunds, returns and disputes`,
    ],
    [
      'Left to pay',
      leftMinor === undefined
        ? undefined
        : { text: money(leftMinor), tone: leftMinor === 0n ? 'good' : 'plain' },
    ],
    [
      'Reserved',
      reservedMinor === 0n
        ? undefined
        : {
            text: `${money(reservedMinor)} of it, by captures whose outcome is not known yet`,
            tone: 'warning',
          },
    ],
    [
      'Too much',
      excessMinor === 0n
        ? undefined
        : {
            text:
              excessMinor === undefined
                ? 'not known, because amounts are in several currencies'
                : `${money(excessMinor)} was taken beyond what is due: give it back`,
            tone: 'bad',
          },
    ],
    ['Open payments', openPayments === 0 ? undefined : `${openPayments}`],
  ]);
}

/** The part of a payment that a visit has; `undefined` if the payment is all its own. */
function shareOf(id: string, { shares, currency }: Payment): string | undefined {
  if (shares === undefined) return undefined;
  const own = shares.filter(({ appointmentId }) => appointmentId === id);
  return moneyText(
    own.reduce((sum, { amountMinor }) => sum + amountMinor, 0n),
    currency,
  );
}

function drawPayments(screen: Screen, id: string, payments: readonly Payment[]): void {
  screen.part(countText(payments.length, 'payment', mostPayments));
  if (payments.length === 0) return;
  const isShared = payments.some(({ shares }) => shares !== undefined);
  const share = right('For this visit', (one: Payment) => shareOf(id, one) ?? 'all');
  screen.table(payments.slice(-mostShown), [
    col('Payment', (one) => one.id),
    col('Kind', ({ charge }) => charge?.purpose ?? 'card'),
    col('State', ({ state }) => state),
    right('Amount', ({ amountMinor, currency }) => moneyText(amountMinor, currency)),
    ...(isShared ? [share] : []),
    col('Begun (UTC)', ({ createdAt }) => timeText(createdAt)),
    col('', ({ review }) => review && { text: 'review', tone: 'bad' }),
  ]);
  if (payments.length > mostShown) {
    screen.line(`The newest ${mostShown} are shown; --json has ${payments.length}.`, 'faint');
  }
}

/** What was paid without a card, given back of that, or recorded by mistake. */
function drawTenders(screen: Screen, tenders: readonly Tender[]): void {
  screen.list('Without a card', tenders.slice(-mostShown), [
    col('Tender', ({ id }) => id),
    col('Act', ({ act }) => act),
    col('Kind', ({ kind }) => kind),
    right('Amount', ({ amountMinor, currency }) => moneyText(amountMinor, currency)),
    col('Time (UTC)', ({ at }) => timeText(at)),
    col('', ({ voidedAt }) => (voidedAt === undefined ? '' : 'voided')),
  ]);
}
