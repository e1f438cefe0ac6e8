import { ownTip, type TipChoice, tipChoices } from '@chairside/client/tips';
import { html } from 'lit-html';
import type { State, Till } from './state.ts';

/**
 * Asks for the tip before the card. No tip is a button like the others, no button is chosen in advance, and
 * each takes the payment with one press. The visible words are those of a screen reader too. Nothing leads back
 * into the shop's screens while the customer holds the phone: the next screen has Stop.
 */
export function tipView(
  { state, take, phone }: Till,
  { price, typed, alsoPays }: NonNullable<State['tipping']>,
  redraw: () => void,
) {
  const { currency = 'EUR' } = phone.register.getSnapshot();
  const button = ({ tip, total }: TipChoice, name: string, share = '') => html`
    <button class="tip-choice" data-tip=${name} @click=${() => void take(total, tip, alsoPays)}>
      <strong>${tip === '0.00' ? 'No tip' : `Tip ${tip}`}</strong>
      <span>${share}in all ${total}</span>
    </button>`;
  const own = ownTip(price, typed);
  return html`
    <p class="sum"><span class="currency">${currency}</span> ${price}</p>
    <p class="said" id="tip-title" role="status">Would you like to add a tip?</p>
    <div class="tips" tabindex="-1" role="group" aria-labelledby="tip-title">
      ${tipChoices(price).map((choice) =>
        choice.percent === 0
          ? button(choice, 'none')
          : button(choice, `${choice.percent}`, `${choice.percent} %, `),
      )}
      <label class="field">Own tip
        <input class="own-tip" inputmode="decimal" maxlength="9" .value=${typed} aria-describedby="own-tip-help"
          aria-invalid=${typed !== '' && own === undefined}
          @input=${({ target }: { target: HTMLInputElement }) => {
            state.tipping = { price, typed: target.value.trim(), alsoPays };
            redraw();
          }}>
      </label>
      ${
        own === undefined
          ? html`<button class="tip-choice" data-tip="own" disabled><strong>Own tip</strong><span>type it first</span></button>`
          : button(own, 'own')
      }
    </div>
    <p class="hint" id="own-tip-help">An own tip is at most ${price}.</p>`;
}
