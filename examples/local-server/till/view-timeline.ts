import { html, nothing } from 'lit-html';
import { guard } from 'lit-html/directives/guard.js';
import { repeat } from 'lit-html/directives/repeat.js';
import { curlOf } from './curl.ts';
import { type Row, type Run, runsOf, type Step } from './runs.ts';
import type { State, Till } from './state.ts';
import { actOf, answerOf, callOf, downAt, recoveryOf, retryOf } from './words.ts';

/** The rest is folded, so that the page stays short. */
const shownRuns = 1;

/** Drawn anew only for a new line: the page itself draws four times a second. */
export function timelineView({ state }: Till) {
  return guard([state.lines.length], () => timelineOf(state));
}

function timelineOf(state: State) {
  const runs = runsOf(state.lines);
  const [newest, earlier] = [runs.slice(0, shownRuns), runs.slice(shownRuns)];
  return html`
    <section class="timeline" aria-labelledby="timeline-title">
      <header>
        <h2 id="timeline-title">Timeline</h2>
        <p class="hint">The newest run is first; each run reads downwards. Open a request to see it.</p>
      </header>
      ${runs.length === 0 ? firstSteps : nothing}
      ${repeat(newest, ({ id }) => id, runView)}
      ${
        earlier.length === 0
          ? nothing
          : html`<details class="earlier"><summary>Earlier runs (${earlier.length})</summary>
              ${repeat(earlier, ({ id }) => id, runView)}</details>`
      }
    </section>`;
}

/** What to do first, where nothing has happened yet. */
const firstSteps = html`
  <ol class="first">
    <li>Press <strong>Take</strong> on the phone.</li>
    <li>Under “The customer holds”, press <strong>Approved</strong>. The customer is charged once.</li>
    <li>Break something: press <strong>Lose the next answer</strong>, then take another payment.</li>
  </ol>
  <p class="hint">Every request appears here.</p>`;

function runView(run: Run) {
  const at = new Date(run.startedAt).toLocaleTimeString('en-GB');
  return html`
    <article class="run" data-run=${run.id}>
      <h3>Run of ${at}</h3>
      <div class="lanes" aria-hidden="true"><span>Phone</span><span>Server</span><span>Processor</span></div>
      <ol>${repeat(run.rows, keyOf, (row, index) => rowView(row, run, run.rows.slice(index + 1)))}</ol>
    </article>`;
}

const keyOf = (row: Row) => ('kind' in row ? `${row.kind} ${row.seq}` : row.id);
const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;

function rowView(row: Row, { startedAt }: Run, later: readonly Row[]) {
  if (!('kind' in row)) return stepView(row, startedAt, later);
  switch (row.kind) {
    case 'down': {
      const up = later.find((other) => 'kind' in other && other.kind === 'up');
      const gone =
        up === undefined ? 'It is being started again.' : `Back after ${seconds(up.at - row.at)}.`;
      return html`<li class="gap"><span class="time">${seconds(row.at - startedAt)}</span>
        <span class="down">${downAt[row.where] ?? 'Server killed'}. ${gone}</span></li>`;
    }
    case 'up':
      return nothing;
    case 'fault':
      return html`<li class="mark"><span class="time"></span><span>Fault chosen: ${faultWords(row.what)}</span></li>`;
    case 'message':
      return html`<li class="message"><span class="time">${seconds(row.at - startedAt)}</span>
        <span class="arrow back far">${row.count === 1 ? 'message' : `${row.count} messages`}${row.status < 400 ? '' : `: ${row.status}`}</span></li>`;
  }
}

const faultWords = (what: string) =>
  what
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(/ appointment_\w+/, '');

function stepView(step: Step, startedAt: number, later: readonly Row[]) {
  const { tap, response, calls } = step;
  return html`
    <li class="step" data-phone=${step.phone}>
      <details>
        <summary>
          <span class="time">${seconds(step.at - startedAt)}</span>
          <span class="arrow out ${tap ? 'through' : ''}">${step.phone === 2 ? 'Phone 2: ' : ''}${actOf(step)}</span>
          ${calls.map(
            ({ name, outcome }) =>
              html`<span class="arrow both far ${outcome === 'ok' ? '' : 'bad'}">${callOf(name)}: ${outcome}</span>`,
          )}
          ${tap ? html`<span class="arrow back through">${tap.status}</span>` : answerArrow(response, later)}
        </summary>
        ${tap ? html`<p class="explain">The card goes from the phone to the processor; the server is not asked.</p>` : detail(step)}
      </details>
    </li>`;
}

function answerArrow(response: Step['response'], later: readonly Row[]) {
  if (response === undefined) {
    const isKilled = later.some((row) => 'kind' in row && row.kind === 'down');
    return html`<span class="arrow back lost">${isKilled ? 'no answer' : '…'}</span>`;
  }
  const { status, body, isLost } = response;
  const words = answerOf(status, body);
  if (isLost) return html`<span class="arrow back lost">lost: ${words}</span>`;
  if (status < 400) return html`<span class="arrow back good">${words}</span>`;
  const retry = retryOf(body);
  return html`<span class="arrow back ${retry === undefined ? 'bad' : 'again'}">${retry ?? words}</span>`;
}

function detail(step: Step) {
  const { request, response } = step;
  const recovery = response && recoveryOf(response.body);
  const curl = curlOf(step);
  return html`
    <div class="detail">
      ${recovery === undefined ? nothing : html`<p class="explain"><strong>recovery:</strong> ${recovery}</p>`}
      ${response?.isLost ? html`<p class="explain">The server carried it out, and its answer was lost on the way.</p>` : nothing}
      <h4>Request</h4>
      <pre>${request?.method} ${byParts(request?.path ?? '')}${request?.key ? `\nIdempotency-Key: ${request.key}` : ''}${request?.body ? `\n\n${pretty(request.body)}` : ''}</pre>
      <h4>Response</h4>
      <pre>${response ? `${response.status}\n\n${pretty(response.body)}` : 'None arrived.'}</pre>
      <button @click=${({ currentTarget }: { currentTarget: HTMLButtonElement }) => {
        void navigator.clipboard.writeText(curl).then(() => {
          currentTarget.textContent = 'Copied';
        });
      }}>Copy as curl</button>
    </div>`;
}

/** A path may break after a slash only. */
function byParts(path: string) {
  return path.split(/(?<=\/)/).map((part) => html`${part}<wbr>`);
}

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
