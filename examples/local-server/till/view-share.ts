import type { Facts, Screen } from '@chairside/client/screen';
import { type ShareFacts, shareScreenOf } from '@chairside/client/share-screen';
import { html, nothing } from 'lit-html';
import { booksIn, minor, type Till } from './state.ts';

/** What a shop asks of a payment for several visits or barbers, where the server shares payments (D208). */
function shareFacts({ state, sharing, others }: Till): ShareFacts {
  return {
    currency: 'EUR',
    appointmentId: state.selected ?? '',
    visits: others(),
    barbers: booksIn(state)?.barbers ?? [],
    sharing: sharing.getSnapshot(),
  };
}

/** A refused question can be answered again, so that it fills no screen as a declined card does. */
export function shareTone(till: Till) {
  const { tone } = shareScreenOf(shareFacts(till));
  return tone === 'bad' ? 'wait' : tone;
}

/** The row of its own controls, each at its own place. None of them moves money. */
export function shareActs(
  till: Till,
  facts: Facts,
  { state: is, controls, tipFor }: Screen,
  redraw: () => void,
) {
  const { state, sharing, others, askWhose } = till;
  if (booksIn(state)?.barbers === undefined) return nothing;
  const isFree = ['none', 'done'].includes(sharing.getSnapshot().is) && tipFor === undefined;
  const mayTake = controls.some(({ act, amount }) => act === 'take' && amount !== undefined);
  const isOpen = state.alsoPays !== undefined;
  const mayPay =
    isFree && mayTake && (is === 'ready' || is === 'partlyPaid') && (others().length > 0 || isOpen);
  const payments = facts.books.is === 'read' ? facts.books.value.payments : [];
  // The latest payment first, as a person would.
  const last = payments.findLast(({ back }) => minor(back?.refundable ?? '0.00') > 0);
  const isPaid = ['paid', 'partlyPaid', 'partlyRefunded', 'refundUnderWay'].includes(is);
  const paid = isFree && isPaid && !isOpen ? last : undefined;
  const button = (act: string, label: string, does: () => void, isExpanded?: boolean) => html`
    <button class="quiet" data-act=${act} aria-expanded=${isExpanded === undefined ? nothing : isExpanded}
      @click=${() => {
        does();
        redraw();
      }}>${label}</button>`;
  const toggle = () => {
    state.alsoPays = isOpen ? undefined : [];
    state.amount = '';
    sharing.leave();
  };
  const tip = minor(paid?.back?.refundableTip ?? '0.00');
  return html`
    <div class="place" data-width="1">${
      mayPay
        ? button('payForTwo', isOpen ? 'Only this visit' : 'Pay for two', toggle, isOpen)
        : nothing
    }</div>
    <div class="place" data-width="1">${
      paid === undefined
        ? nothing
        : button('share', tip > 0 ? 'Share the tip' : 'Share it', () => askWhose('share', paid.id))
    }</div>
    <div class="place" data-width="1">${
      paid === undefined
        ? nothing
        : button('move', 'Wrong visit? Move it', () => askWhose('move', paid.id))
    }</div>`;
}

/** The other visits that the same card may pay. */
export function othersView({ state, others }: Till, redraw: () => void) {
  const { alsoPays } = state;
  if (alsoPays === undefined) return nothing;
  const toggle = (id: string) => {
    state.alsoPays = alsoPays.includes(id)
      ? alsoPays.filter((one) => one !== id)
      : [...alsoPays, id];
    redraw();
  };
  return html`
    <fieldset class="choices">
      <legend>This card also pays for</legend>
      ${others().map(
        ({ id, name, left }) => html`
          <label><input type="checkbox" name="also" value=${id} .checked=${alsoPays.includes(id)} @change=${() => toggle(id)}>
            <span class="name" title=${name}>${name}</span><span class="amount">${left}</span></label>`,
      )}
    </fieldset>`;
}

/** Asks whose the payment is. Nothing is done before the last button is pressed. */
export function shareView(till: Till) {
  const { sharing } = till;
  const { said, todo, choices, fields, confirm } = shareScreenOf(shareFacts(till));
  const { is } = sharing.getSnapshot();
  return html`
    <p class="said" id="share-said" role="status">${said}</p>
    ${todo === '' ? nothing : html`<p class="todo">${todo}</p>`}
    ${
      choices.length === 0
        ? nothing
        : html`<fieldset class="choices" aria-labelledby="share-said">
            ${choices.map(
              ({ id, label, note, isChosen, isOff }) => html`
                <label><input type="radio" name="whose" value=${id} .checked=${isChosen} ?disabled=${isOff}
                  @change=${() => sharing.choose({ to: id, price: undefined, tip: undefined })}>
                  <span class="name" title=${label}>${label}</span><span class="amount">${note}</span></label>`,
            )}
          </fieldset>`
    }
    ${fields.map(
      ({ name, label, value, isWrong }) => html`
        <label class="field">${label}
          <input inputmode="decimal" maxlength="9" name=${name} .value=${value} aria-invalid=${isWrong}
            @input=${({ target }: { target: HTMLInputElement }) =>
              sharing.choose({ [name]: target.value.trim() })}>
        </label>`,
    )}
    ${
      is === 'running'
        ? nothing
        : html`<div class="answer">
            <button data-share="leave" @click=${() => sharing.leave()}>Leave it</button>
            ${
              confirm === undefined
                ? nothing
                : html`<button class="primary" data-share="confirm" @click=${() => void sharing.answer(confirm)}>${confirm.label}</button>`
            }
          </div>`
    }`;
}
