import { changedAt, isBusy, screenOf } from '@chairside/client/screen';
import { html, nothing } from 'lit-html';
import type { AppointmentBooks } from './server.ts';
import { minor, selectedOf, type Till } from './state.ts';
import { verdictOf } from './verdict.ts';

const clock = (at: number) => new Date(at).toTimeString().slice(0, 8);

/** When the shown books were read, if that is not now: then they give no verdict (D207). */
function oldSince({ state: { books, now } }: Till): number | undefined {
  if (books.is !== 'read') return undefined;
  const { failedAt, askedAt } = books;
  const isOld = failedAt !== undefined || askedAt > now || now - askedAt > 15_000;
  return isOld ? askedAt : undefined;
}

export function verdictView(till: Till) {
  const { state, phone, factsOf } = till;
  const books = selectedOf(state);
  const facts = factsOf(state.selected ?? '');
  const isRunning =
    isBusy(phone.register.getSnapshot()) ||
    state.back.is === 'running' ||
    till.sharing.getSnapshot().is === 'running';
  const isKnown = books !== undefined && oldSince(till) === undefined;
  const isCurrent = isKnown && state.books.is === 'read' && state.books.askedAt >= changedAt(facts);
  const isMoved = books?.payments.some(({ share }) => share?.amount === '0.00') === true;
  const isOfThis = facts.taking.step !== 'idle' || books?.charged !== '0.00' || isMoved;
  const verdict =
    isCurrent && !isRunning && isOfThis ? verdictOf(books, facts.taking.step) : undefined;
  // A first look is told what to do.
  const isFirst = !state.lines.some(({ kind }) => kind === 'response');
  const title = isRunning
    ? 'A payment is under way'
    : isKnown
      ? books.charged === '0.00' && !isOfThis
        ? isFirst
          ? 'Press Take, then Approved'
          : 'No payment yet'
        : 'Comparing the books'
      : 'Not known now';
  const promise = 'the customer is charged at most once.';
  const detail = !isKnown
    ? screenOf(facts).said
    : isFirst
      ? `Then break something and take the next payment: ${promise}`
      : `Whatever is broken, ${promise}`;
  return html`
    <section class="verdict" data-is=${verdict?.is ?? 'none'} aria-live="polite" aria-labelledby="verdict-title">
      <h2 id="verdict-title">${verdict?.title ?? title}</h2>
      <p>${verdict?.detail ?? detail}
        ${verdict ? html`<a href="guarantees#${verdict.guarantee}">Why this holds</a>` : nothing}</p>
    </section>`;
}

export function booksView(till: Till) {
  const books = selectedOf(till.state);
  const since = oldSince(till);
  return html`
    <section class="books" aria-labelledby="books-title">
      <h2 id="books-title">Both books</h2>
      ${books === undefined ? html`<p class="hint">Not read yet.</p>` : table(books, since)}
    </section>`;
}

function table(books: AppointmentBooks, oldSince: number | undefined) {
  const { own, charged, captured, tips, chargedThere, refunded, refundedThere, due, payments } =
    books;
  const left = ((minor(due) - minor(captured)) / 100).toFixed(2);
  const isRefundUnknown = refunded !== refundedThere;
  const differs = charged !== chargedThere || isRefundUnknown;
  return html`
    <table>
      <thead><tr><th scope="col">Payment</th><th scope="col">Shop's books</th><th scope="col">Processor</th></tr></thead>
      <tbody>
        ${payments.map(
          ({ id, state, amount, processor, share }) => html`
            <tr class=${differs && state !== processor?.status ? 'differs' : ''} data-share=${share?.amount ?? nothing}>
              <th scope="row" title=${id}>${amount}</th>
              <td>${share?.amount === '0.00' ? 'moved' : state}</td>
              <td>${processor?.status ?? '—'}</td>
            </tr>`,
        )}
        ${payments.length === 0 ? html`<tr><td colspan="3" class="hint">No payment was opened.</td></tr>` : nothing}
      </tbody>
      <tfoot>
        <tr class=${differs ? 'differs' : ''}>
          <th scope="row">Charged</th><td data-sum="books">${charged}</td><td data-sum="charged-there">${chargedThere}</td>
        </tr>
        ${
          own === charged
            ? nothing
            : html`<tr><th scope="row">For this visit</th><td data-sum="own">${own}</td><td></td></tr>`
        }
        ${
          refunded === '0.00' && !isRefundUnknown
            ? nothing
            : html`<tr class=${isRefundUnknown ? 'differs' : ''}>
                <th scope="row">Refunded</th><td data-sum="refunded">${refunded}</td><td data-sum="refunded-there">${refundedThere}</td>
              </tr>`
        }
        ${
          tips === '0.00'
            ? nothing
            : html`<tr><th scope="row">Tip in it</th><td colspan="2" data-sum="tips">${tips}</td></tr>`
        }
        <tr><th scope="row">Left to pay</th><td colspan="2">${left}</td></tr>
      </tfoot>
    </table>
    <p class="hint" data-books>${
      oldSince !== undefined
        ? `Known as of ${clock(oldSince)}. The server has not answered since.`
        : differs
          ? '● They differ until the next request, or until upkeep runs.'
          : charged === '0.00'
            ? ''
            : 'Equal to the cent.'
    }</p>`;
}
