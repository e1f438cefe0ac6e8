// Runs under Hermes: one payment over a scripted service.
import { createClient, createRegister } from '../src/index.ts';
import { aPayment } from './a-payment.ts';

declare function print(line: string): void;

/** React Native provides one; the bare engine does not. */
class Controller {
  readonly signal = {
    aborted: false,
    addEventListener: (_: string, run: () => void) => void this.runs.push(run),
    removeEventListener: (_: string, run: () => void) => {
      this.runs = this.runs.filter((other) => other !== run);
    },
  };
  private runs: (() => void)[] = [];

  abort(): void {
    this.signal.aborted = true;
    for (const run of this.runs.slice()) run();
  }
}
Object.assign(globalThis, { AbortController: Controller });

const kept = new Map<string, string>();
let keys = 0;
let calls = 0;
const client = createClient({
  baseUrl: 'https://shop.example',
  accessToken: () => 'token',
  newKey: () => {
    keys += 1;
    return `key-${keys}`;
  },
  time: { now: () => Date.now(), after: () => () => undefined },
  async fetch() {
    calls += 1;
    const text = async () => JSON.stringify(aPayment);
    return { status: 200, headers: { get: () => null }, text };
  },
});
const register = createRegister({
  client,
  subject: 'ada',
  journal: {
    keys: async () => Array.from(kept.keys()),
    get: async (key) => kept.get(key),
    set: async (key, value) => void kept.set(key, value),
    remove: async (key) => void kept.delete(key),
  },
  reader: {
    ready: async () => undefined,
    retrieve: async () => ({ reference: 'r', collect: async () => 'approved' }),
  },
});
register.take({ appointmentId: 'a-1' }).then(({ step }) => {
  print(`${step} under Hermes, with ${calls} requests and ${kept.size} notes left`);
});
