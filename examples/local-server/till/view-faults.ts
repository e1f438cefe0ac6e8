import { html, nothing } from 'lit-html';
import type { Order } from './server.ts';
import { shuffle } from './shuffle.ts';
import { booksIn, type Till } from './state.ts';

const processorFaults = [
  ['slow', 'Takes 4 seconds'],
  ['losesReply', 'Loses its reply'],
  ['refuses', 'Refuses'],
  ['down', 'Is down for a moment'],
] as const;
const killPoints = [
  ['now', 'Kill it now'],
  ['beforeProcessor', 'Kill before the processor'],
  ['afterProcessor', 'Kill after the processor'],
  ['beforeAnswer', 'Kill before its answer'],
] as const;
const messages = [
  ['inOrder', 'in order'],
  ['late', 'a minute late'],
  ['twice', 'twice'],
  ['outOfOrder', 'out of order'],
  ['off', 'not at all'],
] as const;

export function faultsView(till: Till, redraw: () => void) {
  const { state, order, race, payHalfInCash } = till;
  const books = booksIn(state);
  const isArmed = (what: string) => books?.armed.includes(what) === true;
  const button = (label: string, fault: string, act: () => void, isPressed?: boolean) =>
    html`<button data-fault=${fault} aria-pressed=${isPressed === undefined ? nothing : isPressed}
      @click=${act}>${label}</button>`;
  const send = (given: Order) => () => void order(given);
  return html`
    <section class="faults" id="faults" tabindex="-1" aria-labelledby="faults-title">
      <header>
        <h2 id="faults-title">Break something</h2>
        <button class="shuffle" data-fault="shuffle" @click=${() => void shuffle(till, redraw)}>Shuffle</button>
      </header>
      <p class="hint">${state.shuffled ?? 'A fault waits for the next capture, unless it says “now”.'}</p>
      <div class="group" role="group" aria-label="The network">
        <h3>Network</h3>
        ${button('Lose the next answer', 'loseAnswer', send({ do: 'loseAnswer' }), isArmed('loseAnswer'))}
      </div>
      <div class="group" role="group" aria-label="The processor">
        <h3>Processor</h3>
        ${processorFaults.map(([fault, label]) =>
          button(label, `processor-${fault}`, send({ do: 'processor', fault })),
        )}
      </div>
      <div class="group" role="group" aria-label="Kill the server">
        <h3>Server</h3>
        ${
          books?.canKill === false
            ? html`<p class="hint">Start it with <code>pnpm start</code> to kill it here.</p>`
            : killPoints.map(([at, label]) =>
                button(
                  label,
                  `kill-${at}`,
                  send({ do: 'kill', at }),
                  at === 'now' ? undefined : isArmed(`kill ${at}`),
                ),
              )
        }
      </div>
      <div class="group" role="group" aria-label="The app">
        <h3>App</h3>
        ${button('Kill the app now', 'app-now', () => location.reload())}
        ${button(
          'Kill it after the card',
          'app-after-tap',
          () => {
            state.diesAfterTap = !state.diesAfterTap;
            redraw();
          },
          state.diesAfterTap,
        )}
      </div>
      <div class="group" role="group" aria-label="People">
        <h3>People</h3>
        ${button('A second phone races', 'race', race)}
        ${button('Half is paid in cash', 'cash', () => void payHalfInCash())}
      </div>
      <fieldset class="group messages">
        <legend>The processor's messages come</legend>
        ${messages.map(
          ([plan, label]) => html`
            <label><input type="radio" name="messages" .checked=${(state.plan ?? books?.messages) === plan}
              @change=${send({ do: 'messages', plan })}>${label}</label>`,
        )}
      </fieldset>
      <p class="notice" role="alert">${state.notice}</p>
    </section>`;
}
