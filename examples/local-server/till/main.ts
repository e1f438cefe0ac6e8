import { html, render } from 'lit-html';
import { booksIn, createTill } from './state.ts';
import { booksView, verdictView } from './view-books.ts';
import { faultsView } from './view-faults.ts';
import { customerView, phoneView } from './view-phone.ts';
import { timelineView } from './view-timeline.ts';

const root = document.getElementById('till');
if (root === null) throw new Error('the page has no place for the till');
root.replaceChildren();

let isDue = false;
function redraw(): void {
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => {
    isDue = false;
    draw();
  });
}

const till = createTill(redraw);

function draw(): void {
  const { isUp } = till.state;
  const books = booksIn(till.state);
  const server = isUp
    ? 'The server is up'
    : books === undefined
      ? 'Connecting'
      : 'The server is down';
  const page = html`
    <header class="top">
      <h1>Chairside</h1>
      <p>Take a payment, break something, and see the customer charged at most once.</p>
      <p class="server" data-up=${isUp} role="status">${server}</p>
      <nav aria-label="More"><a href="day">The day</a><a href="docs" aria-label="API reference">API</a></nav>
    </header>
    <div class="columns">
      ${phoneView(till, redraw)}
      ${verdictView(till)}
      ${customerView(till)}
      <div class="side">${faultsView(till, redraw)}${booksView(till)}</div>
      ${timelineView(till)}
    </div>`;
  // cast: checked above
  const place = root as HTMLElement;
  const hadFocus = place.querySelector(':is(.acts, .cards, .tips, .choices):focus-within') !== null;
  render(page, place);
  if (hadFocus) keepFocus(place);
}

/**
 * A pressed button may be gone or disabled now: the focus goes to what the phone says. Not to another button, which
 * a second press of the key would meet.
 */
function keepFocus(place: HTMLElement): void {
  const { activeElement } = document;
  const isLost = activeElement === document.body || activeElement?.matches(':disabled') === true;
  if (isLost) place.querySelector<HTMLElement>('.screen')?.focus();
}

draw();
