import { html, nothing } from 'lit-html';
import type { AppointmentBooks } from './server.ts';
import { isBusy, selectedOf, type Till } from './state.ts';
import { verdictOf } from './verdict.ts';

export function verdictView({ state, phone }: Till) {
  const books = selectedOf(state);
  const taking = phone.register.getSnapshot();
  const isOfThis = taking.appointmentId === books?.id && taking.step !== 'idle';
  // The phone knows of a capture before this page has read the books again.
  const isUnread = isOfThis && taking.step === 'captured' && books?.charged === '0.00';
  const isRunning = isBusy(taking) || isUnread;
  const verdict = books && !isRunning ? verdictOf(books, taking.step) : undefined;
  const isShown = verdict !== undefined && (isOfThis || books?.charged !== '0.00');
  return html`
    <section class="verdict" data-is=${isShown ? verdict.is : 'none'} aria-live="polite" aria-labelledby="verdict-title">
      <h2 id="verdict-title">${isShown ? verdict.title : isRunning ? 'A payment is under way' : 'No payment yet'}</h2>
      <p>${isShown ? verdict.detail : 'Whatever is broken, the customer is charged at most once.'}
        ${isShown ? html`<a href="guarantees#${verdict.guarantee}">Why this holds</a>` : nothing}</p>
    </section>`;
}

export function booksView({ state }: Till) {
  const books = selectedOf(state);
  return html`
    <section class="books" aria-labelledby="books-title">
      <h2 id="books-title">Books and ledger</h2>
      ${books === undefined ? html`<p class="hint">Connecting…</p>` : table(books)}
    </section>`;
}

function table(books: AppointmentBooks) {
  const { charged, tips, ledger, refunded, refundedLedger, due, payments } = books;
  const isRefundUnknown = refunded !== refundedLedger;
  const differs = charged !== ledger || isRefundUnknown;
  return html`
    <table>
      <thead><tr><th scope="col">Payment</th><th scope="col">Shop's books</th><th scope="col">Processor</th></tr></thead>
      <tbody>
        ${payments.map(
          ({ id, state, amount, processor }) => html`
            <tr class=${differs && state !== processor?.status ? 'differs' : ''}>
              <th scope="row" title=${id}>${amount}</th>
              <td>${state}</td>
              <td>${processor?.status ?? '—'}</td>
            </tr>`,
        )}
        ${payments.length === 0 ? html`<tr><td colspan="3" class="hint">No payment was opened.</td></tr>` : nothing}
      </tbody>
      <tfoot>
        <tr class=${differs ? 'differs' : ''}>
          <th scope="row">Charged</th><td data-sum="books">${charged}</td><td data-sum="ledger">${ledger}</td>
        </tr>
        ${
          refunded === '0.00' && !isRefundUnknown
            ? nothing
            : html`<tr class=${isRefundUnknown ? 'differs' : ''}>
                <th scope="row">Refunded</th><td data-sum="refunded">${refunded}</td><td data-sum="refunded-ledger">${refundedLedger}</td>
              </tr>`
        }
        ${
          tips === '0.00'
            ? nothing
            : html`<tr><th scope="row">Tip in it</th><td colspan="2" data-sum="tips">${tips}</td></tr>`
        }
        <tr><th scope="row">Due</th><td colspan="2">${due}</td></tr>
      </tfoot>
    </table>
    <p class="hint">${differs ? '● They differ until the next request, or until upkeep runs.' : 'Equal to the cent.'}</p>`;
}
