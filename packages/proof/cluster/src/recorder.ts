// Writes a history: one line for each request of any client, and one for its end.
import type { Fetch } from '@chairside/client';
import { cents, endOf } from '@chairside/trials/history';

/** An event of a history, as `packages/proof/judge/README.md` describes it. */
export type Line = Readonly<Record<string, unknown>> & { readonly appointment: string };

interface Asked {
  readonly f: 'create' | 'capture' | 'refund' | 'read';
  readonly appointment: string;
  readonly key?: string;
  readonly payment?: string;
  readonly amount?: number;
}

export function createRecorder() {
  const lines: Line[] = [];
  const appointmentOf = new Map<string, string>();
  let processes = 0;
  let lastWriteAt = performance.now();

  function asked(
    url: string,
    method: string,
    headers: Record<string, string>,
    body: string,
  ): Asked | undefined {
    const [collection, id = '', action] = new URL(url).pathname.slice(1).split('/');
    const key = headers['idempotency-key'] ?? headers['Idempotency-Key'] ?? '';
    const appointment = appointmentOf.get(id) ?? '';
    if (collection === 'appointments' && method === 'POST')
      return { f: 'create', appointment: id, key };
    if (collection !== 'contactlessPayments') return undefined;
    if (action === undefined) return { f: 'read', appointment, payment: id };
    if (action === 'captured') return { f: 'capture', appointment, key, payment: id };
    if (action === 'refunds' && method === 'POST') {
      return { f: 'refund', appointment, key, payment: id, amount: cents(JSON.parse(body).amount) };
    }
    return undefined;
  }

  return {
    lines,
    /** The time of the last response that acknowledged a write. */
    lastWriteAt: () => lastWriteAt,
    /** States what an appointment owes, before its first request. */
    due(appointment: string, amount: number): void {
      const process = ++processes;
      const event = { process, f: 'due', appointment, amount };
      lines.push({ type: 'invoke', ...event }, { type: 'ok', ...event });
    },
    /** Sends requests as the given function does, and records them. */
    over:
      (send: Fetch): Fetch =>
      async (url, init) => {
        const request = asked(url, init.method, init.headers, init.body ?? '{}');
        if (request === undefined) return send(url, init);
        const event = { process: ++processes, ...request };
        lines.push({ type: 'invoke', ...event });
        try {
          const response = await send(url, init);
          const text = await response.text();
          const end = endOf(request.f, { status: response.status, text });
          lines.push({ ...event, ...end });
          if (end.type === 'ok') {
            if (request.f === 'create') appointmentOf.set(end.payment ?? '', request.appointment);
            if (request.f !== 'read') lastWriteAt = performance.now();
          }
          return { status: response.status, headers: response.headers, text: async () => text };
        } catch (error) {
          lines.push({ ...event, type: 'info' });
          throw error;
        }
      },
  };
}
