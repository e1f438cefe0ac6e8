import { H3 } from 'h3';
import { toNodeHandler } from 'h3/node';
import { amount, post } from '../request.ts';
import { listen, type Served } from './target.ts';

/** Bare h3: reads a body and returns it. Shows the cost of HTTP alone. */
export async function openEcho(): Promise<Served> {
  const app = new H3().post('/echo', (event) => event.req.json());
  const { port, close } = await listen(toNodeHandler(app));
  return {
    ports: [port],
    requests: [post('/echo', { amount }, JSON.stringify({ amount }))],
    repeats: true,
    finish: async () => ({ commits: 0, faults: [] }),
    close,
  };
}
