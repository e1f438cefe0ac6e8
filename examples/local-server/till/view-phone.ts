import {
  type Control,
  type Facts,
  isBusy,
  markOf,
  places,
  type Screen,
  screenOf,
} from '@chairside/client/screen';
import { html, nothing } from 'lit-html';
import type { Phone } from './phone.ts';
import { giveBack } from './refund.ts';
import { booksIn, selectedOf, type Till } from './state.ts';
import { othersView, shareActs, shareTone, shareView } from './view-share.ts';
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

/** Nobody signs in here, so the last row stays away. */
const shownRows = 4;

export function phoneView(till: Till, redraw: () => void) {
  return html`
    <section class="phone" aria-labelledby="phone-title">
      <h2 id="phone-title">The barber's phone</h2>
      <div class="device">
        ${appointments(till, redraw)}
        ${screenView(till, redraw)}
      </div>
    </section>`;
}

function appointments({ state, phone, select, factsOf }: Till, redraw: () => void) {
  const all = booksIn(state)?.appointments ?? [];
  const rows = state.listed.flatMap((id) => all.find((one) => one.id === id) ?? []);
  return html`
    <fieldset class="appointments" ?disabled=${isBusy(phone.register.getSnapshot())}>
      <legend>Today</legend>
      ${rows.map(
        ({ id, customer }) => html`
          <label>
            <input type="radio" name="appointment" value=${id} .checked=${id === state.selected}
              @change=${() => {
                select(id);
                redraw();
              }}>
            <span class="name" title=${customer}>${customer}</span>
            <span class="amount">${markOf(factsOf(id))}</span>
          </label>`,
      )}
    </fieldset>`;
}

/** Draws what is known, and nothing else (D207). */
function screenView(till: Till, redraw: () => void) {
  const { state, factsOf, phone } = till;
  const facts = factsOf(state.selected ?? '');
  const shown = screenOf(facts);
  const { step } = facts.taking;
  const sharing = till.sharing.getSnapshot();
  // Then the list above says whose visit it is, and leaves room for those to choose.
  const isChoosing = facts.alsoPays !== undefined;
  const isAsking = sharing.is !== 'none' && sharing.is !== 'done';
  const isDone = ['paid', 'partlyRefunded', 'refundUnderWay', 'refunded'].includes(shown.state);
  const [customer = '', what = ''] = selectedOf(state)?.customer.split(', ') ?? [];
  return html`
    <div class="screen" tabindex="0" role="group" aria-label="The phone's screen"
      data-step=${shown.tipFor ? 'tip' : isDone ? 'captured' : step} data-state=${isAsking ? sharing.is : shown.state}
      data-tone=${isAsking ? shareTone(till) : shown.tone}>
      ${
        isAsking
          ? shareView(till)
          : shown.tipFor === undefined
            ? html`
              ${isChoosing ? nothing : html`<p class="who"><strong>${customer}</strong> ${what}</p>`}
              ${sum(shown, phone)}
              <p class="said" role="status">${shown.said}</p>
              ${isChoosing ? nothing : html`<p class="todo">${shown.todo}</p>`}
              ${shown.lines.map((line) => html`<p class="line">${line}</p>`)}
              ${sharing.is === 'done' && sharing.what === 'move' ? html`<p class="line" data-shared>${sharing.said}</p>` : nothing}
              ${receiptLinks(facts.books)}
              ${othersView(till, redraw)}
              ${amountField(till, shown, redraw)}`
            : tipView(
                till,
                { ...state.tipping, price: shown.tipFor, typed: state.tipping?.typed ?? '' },
                redraw,
              )
      }
    </div>
    <div class="acts" tabindex="-1">${shareActs(till, facts, shown, redraw)}${Object.entries(
      places,
    ).map(([act, { row, width }]) => {
      const control = isAsking ? undefined : shown.controls.find((one) => one.act === act);
      return row > shownRows
        ? nothing
        : html`<div class="place" data-width=${width}>
        ${control === undefined ? nothing : button(till, control, redraw)}</div>`;
    })}</div>`;
}

/** Where the receipts are, of the payments that are known. */
function receiptLinks(books: Facts['books']) {
  const payments = 'value' in books ? books.value.payments : [];
  return payments.map(
    ({ id, amount }) =>
      html`<p class="line"><a href="receipts/${id}" target="_blank" rel="noopener">${
        payments.length === 1 ? 'Receipt' : `Receipt of ${amount}`
      }</a></p>`,
  );
}

function sum({ sum: shown }: Screen, { register }: Phone) {
  const { currency = 'EUR' } = register.getSnapshot();
  return html`<p class="sum">${
    shown === undefined
      ? html`<span class="currency">not known</span>`
      : html`<span class="currency">${shown.label} ${currency}</span> ${shown.amount}`
  }</p>`;
}

function button(till: Till, control: Control, redraw: () => void) {
  const { act, label } = control;
  const isMoney = act === 'take' || act === 'giveBack';
  return html`<button class=${isMoney ? 'primary' : ''} data-act=${act}
    @click=${() => press(till, control, redraw)}>${label}</button>`;
}

function press(
  till: Till,
  { act, amount, asksTip, plan, alsoPays }: Control,
  redraw: () => void,
): void {
  const { state, phone } = till;
  switch (act) {
    case 'take':
      if (asksTip === true) state.tipping = { price: amount ?? '', typed: '', alsoPays };
      else void till.take(amount, undefined, alsoPays);
      break;
    case 'stop':
      phone.stop();
      break;
    case 'check':
      void till.check();
      break;
    case 'drop':
      void till.drop();
      break;
    case 'leave':
      till.next();
      break;
    case 'refund':
    case 'refundTip': {
      const { back } = state;
      const what = act === 'refund' ? 'all' : 'tip';
      state.back = {
        is: 'asking',
        what,
        typed: '',
        plan: back.is === 'unknown' ? back.plan : undefined,
      };
      break;
    }
    case 'keep':
      state.back = { is: 'none' };
      break;
    case 'giveBack':
      if (plan !== undefined) void giveBack(till, plan);
      break;
    case 'signIn':
      // The demo's barber is always signed in.
      break;
  }
  redraw();
}

function amountField({ state }: Till, { field, fieldFault = '' }: Screen, redraw: () => void) {
  if (field === undefined) return nothing;
  const { back } = state;
  const typed = back.is === 'asking' ? back.typed : state.amount;
  const type = (text: string) => {
    if (back.is === 'asking') state.back = { ...back, typed: text };
    else state.amount = text;
    redraw();
  };
  return html`
    <label class="field">${field === 'part' ? 'Only a part' : 'Other amount'}
      <input inputmode="decimal" maxlength="9" placeholder="20.00" .value=${typed}
        aria-invalid=${fieldFault !== ''} aria-describedby="amount-help"
        @input=${({ target }: { target: HTMLInputElement }) => type(target.value.trim())}>
    </label>
    <p class="hint" id="amount-help">${fieldFault}</p>`;
}

function secondView({ register, hold }: Phone) {
  const taking = register.getSnapshot();
  const { words, step, paidBy, currency } = taking;
  return html`
    <div class="device second">
      <h3>A second phone</h3>
      <p class="said" role="status">${words || 'Ready.'}</p>
      ${paidBy === undefined ? nothing : html`<p class="paid-by">Paid: ${currency} ${paidBy.amount}</p>`}
      <button ?disabled=${step !== 'presenting'} @click=${() => hold('visa_credit')}>
        Hold a card to it
      </button>
    </div>`;
}

export function customerView({ phone, state }: Till) {
  const taking = phone.register.getSnapshot();
  const waits = taking.step === 'presenting';
  const hint = isBusy(taking)
    ? 'The phone needs no card now.'
    : 'Press Take first, then hold a card to the phone.';
  return html`
    <section class="customer" aria-labelledby="customer-title">
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
      ${state.second === undefined ? nothing : secondView(state.second)}
    </section>`;
}
