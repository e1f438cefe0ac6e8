import { H3 } from 'h3';
import { toNodeHandler } from 'h3/node';
import { request } from '../load/request.ts';
import { listen } from './listen.ts';
import type { Served } from './target.ts';

/** Bare h3: reads a body and returns it. Shows the cost of HTTP alone. */
export async function openEcho(): Promise<Served> {
  const app = new H3().post('/echo', (event) => event.req.json());
  const { port, close } = await listen(toNodeHandler(app));
  const body = JSON.stringify({ amount: '45.00' });
  return {
    ports: [port],
    requests: [request({ path: '/echo', body, holds: body })],
    repeats: true,
    commits: () => 0,
    verify: async () => [],
    close,
  };
}
