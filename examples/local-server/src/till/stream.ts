import type { Line, Timeline } from './timeline.ts';

/** A proxy or a browser ends a connection on which nothing moves. */
const heartbeatMs = 15_000;
const retryMs = 400;

/** The timeline as server-sent events: all that the page has not seen, then each new line. */
export function streamOf(timeline: Timeline, { headers, url }: Request): Response {
  const asked = headers.get('last-event-id') ?? new URL(url).searchParams.get('after');
  const after = Number(asked ?? 0) || 0;
  const encoder = new TextEncoder();
  let end = () => {};
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const send = (text: string) => controller.enqueue(encoder.encode(text));
      const sendLine = (line: Line) => send(`id: ${line.seq}\ndata: ${JSON.stringify(line)}\n\n`);
      send(`retry: ${retryMs}\n\n`);
      for (const line of timeline.since(after)) sendLine(line);
      const unsubscribe = timeline.subscribe(sendLine);
      const heartbeat = setInterval(() => send(': still here\n\n'), heartbeatMs);
      end = () => {
        unsubscribe();
        clearInterval(heartbeat);
      };
    },
    cancel: () => end(),
  });
  return new Response(body, {
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' },
  });
}
