import type { Observation } from '@chairside/core';
import type { H3Event } from 'h3';
import { readStart } from '../read-json.ts';
import type { Faults } from './faults.ts';
import { shown, type Timeline } from './timeline.ts';

type Handle = (request: Request) => Response | Promise<Response>;

/** The page names its requests, so that only they are recorded. */
const ofPage = /^till-[a-z0-9]+-\d\.\w+$/;

/** Records the page's requests, and loses an answer where the page has asked for that. */
export function recorded(handle: Handle, timeline: Timeline, faults: Faults): Handle {
  return async (request) => {
    const id = request.headers.get('x-request-id') ?? '';
    const { pathname } = new URL(request.url);
    if (!ofPage.test(id)) return handle(request);
    // A longer body is refused by what handles it, by these bytes.
    const body = (await readStart(request)).toString();
    const key = request.headers.get('idempotency-key');
    const isTap = pathname === '/demo/taps';
    if (!isTap) {
      timeline.add({
        kind: 'request',
        id,
        method: request.method,
        path: pathname,
        ...(key !== null && { key }),
        ...(body !== '' && { body: shown(body) }),
      });
    }
    const { method, headers } = request;
    const again = new Request(request.url, { method, headers, ...(body !== '' && { body }) });
    const response = await handle(again);
    const text = await response.text();
    if (method === 'POST' && /\/(captured|refunds)$/.test(pathname)) faults.answering();
    const { status } = response;
    if (isTap) {
      const card = /"card":"(\w+)"/.exec(body)?.[1] ?? '';
      const said = /"status":"(\w+)"/.exec(text)?.[1] ?? 'refused';
      timeline.add({ kind: 'tap', id, card, status: said });
    } else {
      const isLost = faults.takeLostAnswer();
      timeline.add({ kind: 'response', id, status, body: shown(text), isLost });
      if (isLost) return cutOff(status);
    }
    return new Response(text === '' ? null : text, { status, headers: response.headers });
  };
}

/** Long enough for the head to be sent. */
const headMs = 30;

/** Cut off after its head: a browser repeats by itself a request of which no byte was answered. */
function cutOff(status: number): Response {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('{'));
      setTimeout(() => controller.error(new Error('the answer was lost')), headMs);
    },
  });
  return new Response(body, { status, headers: { 'content-type': 'application/json' } });
}

type Receive = (event: H3Event) => Promise<Response>;

/** Records the processor's messages, once the page is in use. */
export function withMessages(receive: Receive, timeline: Timeline): Receive {
  return async (event) => {
    const response = await receive(event);
    if (timeline.since(0).length > 0) timeline.add({ kind: 'message', status: response.status });
    return response;
  };
}

/** Records what the page's requests asked of the processor, and kills the server after it. */
export function recordCall(seen: Observation, timeline: Timeline, faults: Faults): void {
  if (seen.kind !== 'processorCall') return;
  const { requestId: id = '', name, outcome, endedAt } = seen;
  if (ofPage.test(id)) timeline.add({ kind: 'call', id, name, outcome }, endedAt);
  faults.called(name);
}
