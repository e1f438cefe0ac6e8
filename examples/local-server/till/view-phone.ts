import type { Taking } from '@chairside/client';
import { html, nothing } from 'lit-html';
import type { Phone } from './phone.ts';
import { giveBack, refundable, tipsLeft } from './refund.ts';
import { isBusy, minor, type State, selectedOf, type Till, typedAmount } from './state.ts';
import { tipView } from './view-tip.ts';

const cards = [
  ['visa_credit', 'Approved', 'card'],
  ['apple_pay', 'Approved', 'phone'],
  ['declined', 'Declined', 'card'],
  ['declined_then_approved', 'Declined once', 'card'],
  ['slow_to_approve', 'Takes 5 seconds', 'card'],
  ['partially_authorized', 'Covers half', 'card'],
  ['expires_soon', 'Hold lasts a minute', 'card'],
  ['canceled', 'Cancels', 'customer'],
] as const;

export function phoneView(till: Till, redraw: () => void) {
  const { state, phone } = till;
  const taking = phone.register.getSnapshot();
  return html`
    <section class="phone" aria-labelledby="phone-title">
      <h2 id="phone-title">The barber's phone</h2>
      <div class="device">
        ${appointments(till, taking)}
        ${screen(till, redraw)}
      </div>
      ${state.second === undefined ? nothing : secondView(state.second)}
      ${customer(till)}
    </section>`;
}

/** The last four, with the chosen one among them. */
function shownAppointments({ books, selected }: State) {
  const all = books?.appointments ?? [];
  const last = all.slice(-4);
  const chosen = all.find(({ id }) => id === selected);
  return chosen === undefined || last.includes(chosen) ? last : [chosen, ...last.slice(1)];
}

function appointments({ state }: Till, taking: Taking) {
  const rows = shownAppointments(state);
  return html`
    <fieldset class="appointments" ?disabled=${isBusy(taking)}>
      <legend>Today</legend>
      ${rows.map(
        ({ id, customer, due, captured, charged, refunded }) => html`
          <label>
            <input type="radio" name="appointment" value=${id} .checked=${id === state.selected}
              @change=${() => {
                state.selected = id;
                state.tipping = undefined;
              }}>
            <span>${customer}</span>
            <span class="amount">${captured === due ? (refunded === charged ? 'paid back' : 'paid') : left(due, captured)}</span>
          </label>`,
      )}
    </fieldset>`;
}

const left = (due: string, captured: string) => ((minor(due) - minor(captured)) / 100).toFixed(2);

function screen(till: Till, redraw: () => void) {
  const { state, take } = till;
  const taking = till.phone.register.getSnapshot(state.selected);
  const appointment = selectedOf(state);
  const isPaid = appointment !== undefined && appointment.due === appointment.captured;
  // Another phone or tab may have taken it.
  const isPaidElsewhere = isPaid && !isBusy(taking);
  const step = isPaidElsewhere ? 'captured' : taking.step;
  const isIdle = step === 'idle' || step === 'canceled';
  const owed = appointment ? left(appointment.due, appointment.captured) : '0.00';
  if (state.tipping !== undefined && !isBusy(taking) && !isPaid)
    return tipView(till, state.tipping, redraw);
  // A payment that waits keeps the amount that the customer chose.
  const amount = (isIdle && taking.reason !== 'waiting' ? undefined : taking.amount) ?? owed;
  const takeOwed = () => {
    const typed = typedAmount(state);
    if (state.books?.takesTips !== true || (taking.reason === 'waiting' && typed === ''))
      void take();
    else if (typed !== undefined) state.tipping = { price: typed || owed, typed: '' };
    redraw();
  };
  return html`
    <div class="screen" data-step=${step}>
      <p class="sum"><span class="currency">${taking.currency}</span> ${amount}</p>
      ${!isIdle && Number(taking.tip ?? 0) > 0 ? html`<p class="tip">with a tip of ${taking.tip}</p>` : nothing}
      <p class="said" role="status">${refundWords(state) ?? sayStep(state, taking, isPaidElsewhere)}</p>
      ${paidBy(taking)}
      <p class="countdown">${countdown(taking, state.now)}</p>
      <div class="acts" tabindex="-1">${buttons(till, taking, step, amount, isPaid, takeOwed)}${isPaid && !isBusy(taking) ? refundButtons(till, redraw) : nothing}</div>
      ${isIdle && !isPaid ? amountField(state, redraw) : nothing}
    </div>`;
}

/** The payment that paid the appointment, if another one was not needed. */
function paidBy({ paidBy, currency }: Taking) {
  if (paidBy === undefined) return nothing;
  const { amount, capturedAt, card } = paidBy;
  const at = capturedAt === undefined ? '' : ` at ${new Date(capturedAt).toLocaleTimeString()}`;
  const by = card === undefined ? '' : `, card ${card.maskedPersonalAccountNumber}`;
  return html`<p class="paid-by">Paid: ${currency} ${amount}${at}${by}</p>`;
}

function sayStep(state: State, { words, step }: Taking, isPaid: boolean) {
  if (isPaid) return 'Paid.';
  if (words !== '') return words;
  return step === 'idle' && state.books === undefined ? 'Connecting…' : 'Ready.';
}

/** The words of a refund, over those of the payment. */
function refundWords(state: State): string | undefined {
  const { refund } = state;
  const books = selectedOf(state);
  if (refund !== undefined && refund.appointmentId === books?.id && refund.words !== '') {
    return refund.words;
  }
  return books?.refunded === books?.charged && books?.charged !== '0.00' ? 'Refunded.' : undefined;
}

function refundButtons(till: Till, redraw: () => void) {
  const books = selectedOf(till.state);
  if (books === undefined) return nothing;
  const isRunning = till.state.refund?.isRunning === true;
  const button = (act: string, label: string, what: 'all' | 'tips', leftMinor: number) =>
    leftMinor <= 0
      ? nothing
      : html`<button data-act=${act} ?disabled=${isRunning}
          @click=${() => void giveBack(till, what, redraw)}>${label} ${(leftMinor / 100).toFixed(2)}</button>`;
  const tipsMinor = tipsLeft(books);
  return [
    button('refund-tip', 'Refund the tip', 'tips', tipsMinor),
    button('refund', 'Refund', 'all', refundable(books)),
  ];
}

function countdown({ nextAttemptAt, step }: Taking, now: number) {
  if (
    nextAttemptAt === undefined ||
    (step !== 'checking' && step !== 'opening' && step !== 'capturing')
  ) {
    return nothing;
  }
  return `Asks again in ${Math.max(0, Math.ceil((nextAttemptAt - now) / 1000))} s`;
}

/** Notes that only the shop can settle. */
const unsettled: readonly Taking['reason'][] = ['askShop', 'tooOld', 'unreadable'];
/** Ends at which no card was read. */
const unread: readonly Taking['reason'][] = ['notStarted', 'reader', 'storage'];

function buttons(
  till: Till,
  { reason }: Taking,
  step: Taking['step'],
  owed: string,
  isPaid: boolean,
  takeOwed: () => void,
) {
  const { phone, state, take, resume, drop } = till;
  const primary = (label: string, act: () => void) =>
    html`<button class="primary" @click=${act}>${label}</button>`;
  const plain = (label: string, act: () => void) => html`<button @click=${act}>${label}</button>`;
  switch (step) {
    case 'opening':
    case 'presenting':
      return plain('Stop', phone.stop);
    case 'checking':
      return plain('Leave', phone.stop);
    case 'capturing':
      return nothing;
    case 'stuck':
      if (unread.includes(reason)) return primary('Try again', () => void take());
      return [
        primary('Check again', () => void resume()),
        unsettled.includes(reason) ? plain('Drop', () => void drop()) : nothing,
      ];
    case 'declined':
      // Its payment has ended, and its tip with it.
      return primary('Another card', reason === 'partlyApproved' ? takeOwed : () => void take());
    default:
      if (isPaid) return plain('Next customer', till.next);
      return [
        takeButton(typedAmount(state), owed, takeOwed),
        reason === 'waiting' ? plain('Drop', () => void drop()) : nothing,
      ];
  }
}

const takeButton = (typed: string | undefined, all: string, take: () => void) =>
  html`<button class="primary" ?disabled=${typed === undefined} @click=${take}>
    Take ${typed === '' ? all : typed}</button>`;

function amountField(state: State, redraw: () => void) {
  const isWrong = typedAmount(state) === undefined;
  return html`
    <label class="field">Other amount
      <input inputmode="decimal" maxlength="9" placeholder="20.00" .value=${state.amount}
        aria-invalid=${isWrong} aria-describedby="amount-help"
        @input=${({ target }: { target: HTMLInputElement }) => {
          state.amount = target.value.trim();
          redraw();
        }}>
    </label>
    <p class="hint" id="amount-help">${isWrong ? 'Type an amount such as 20.00, at most what is still to be paid.' : nothing}</p>`;
}

function secondView({ register, hold }: Phone) {
  const taking = register.getSnapshot();
  const { words, step } = taking;
  return html`
    <div class="device second">
      <h3>A second phone</h3>
      <p class="said" role="status">${words || 'Ready.'}</p>
      ${paidBy(taking)}
      <button ?disabled=${step !== 'presenting'} @click=${() => hold('visa_credit')}>
        Hold a card to it
      </button>
    </div>`;
}

function customer({ phone }: Till) {
  const taking = phone.register.getSnapshot();
  const waits = taking.step === 'presenting';
  const hint = isBusy(taking)
    ? 'The phone needs no card now.'
    : 'Press Take first, then hold a card to the phone.';
  return html`
    <div class="customer">
      <h2 id="customer-title">The customer holds</h2>
      <div class="cards" role="group" aria-labelledby="customer-title">
        ${cards.map(
          ([name, does, what]) => html`
            <button class="card" data-card=${name} ?disabled=${!waits} @click=${() => phone.hold(name)}>
              <strong>${does}</strong><span>${what}</span>
            </button>`,
        )}
      </div>
      <p class="hint">${waits ? 'The phone waits for one of these.' : hint}</p>
    </div>`;
}
