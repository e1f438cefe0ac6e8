// Writes what clients saw as a history: `packages/proof/judge/README.md` describes the lines.
import { createHash } from 'node:crypto';

/** A request as a client sent it. Moments order all requests and ends of a run. */
export interface Seen {
  readonly f: 'create' | 'capture' | 'refund' | 'read';
  readonly appointment: string;
  readonly key?: string;
  readonly payment?: string;
  /** Cents, of a refund. */
  readonly amount?: number;
  readonly from: number;
  /** Absent if its process died. */
  readonly to?: number | undefined;
  /** Absent if no response came. */
  readonly response?: Response | undefined;
}

interface Response {
  readonly status: number;
  readonly text: string;
}

/** The end of a request, by its response. */
export interface End {
  readonly type: 'ok' | 'fail' | 'info';
  readonly answer?: string;
  readonly payment?: string;
  readonly amount?: number;
  readonly state?: string;
  readonly reason?: 'paid' | 'canceled';
}

/**
 * The lines of a history. Each request is a process of its own.
 * @param dues cents, by appointment, before the first request.
 */
export function historyOf(dues: ReadonlyMap<string, number>, all: readonly Seen[]): object[] {
  const lines: { readonly at: number; readonly line: object }[] = [];
  let process = 0;
  for (const [appointment, amount] of dues) {
    process += 1;
    const due = { process, f: 'due', appointment, amount };
    lines.push(
      { at: -1, line: { type: 'invoke', ...due } },
      { at: -1, line: { type: 'ok', ...due } },
    );
  }
  for (const { from, to, response, ...request } of all) {
    process += 1;
    const event = { process, ...request };
    lines.push({ at: from, line: { type: 'invoke', ...event } });
    const end: End = response === undefined ? { type: 'info' } : endOf(request.f, response);
    if (to !== undefined) lines.push({ at: to, line: { ...event, ...end } });
  }
  return lines.toSorted((a, b) => a.at - b.at).map(({ line }) => line);
}

/** Reads a response by the published interface alone. */
export function endOf(f: Seen['f'], { status, text }: Response): End {
  const body = JSON.parse(text);
  if (status < 300) {
    if (f === 'read') return { type: 'ok', state: stateOf(body.state) };
    const answer = createHash('sha256').update(`${status} ${text}`).digest('hex').slice(0, 16);
    const opened = f === 'create' && { payment: body.id, amount: cents(body.amount) };
    return { type: 'ok', answer, ...opened };
  }
  if (body.recovery?.outcome !== 'notApplied') return { type: 'info' };
  // In process a type is a bare name, over HTTP it is a URI.
  const type = String(body.type).replace(/^.*\//, '');
  if (type === 'appointmentAlreadyPaid') return { type: 'fail', reason: 'paid' };
  if (type === 'contactlessPaymentCanceled') return { type: 'fail', reason: 'canceled' };
  return { type: 'fail' };
}

function stateOf(state: string): string {
  return state === 'captured' || state === 'canceled' ? state : 'open';
}

export function cents(money: string): number {
  return Math.round(Number(money) * 100);
}
