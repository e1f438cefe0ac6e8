// Runs under Node, Bun and Deno: `payment.ts <address> <appointment> <folder> [dies]`. With `dies`
// the process kills itself after the card was approved, before the capture.
import { createClient, createRegister } from '../../src/index.ts';
import { simulatedTerminal } from '../../src/simulated-terminal.ts';
import { fileJournal } from './file-journal.ts';

const [baseUrl = '', appointmentId = '', folder = '', dies] = process.argv.slice(2);
const terminal = simulatedTerminal({ baseUrl, card: () => 'visa_credit' });
const client = createClient({ baseUrl, accessToken: () => 'demo-barber' });
const journal = await fileJournal(folder);
const register = createRegister({
  client,
  subject: 'user_ada',
  journal,
  reader: {
    ...terminal,
    async retrieve(...given) {
      const retrieved = await terminal.retrieve(...given);
      if (dies !== 'dies' || !('collect' in retrieved)) return retrieved;
      return {
        ...retrieved,
        async collect(signal) {
          await retrieved.collect(signal);
          process.kill(process.pid, 'SIGKILL');
          return 'unknown';
        },
      };
    },
  },
});

const { step } = await register.take({ appointmentId });
const listed = await client.listContactlessPayments({ appointmentId });
const payments = listed.isOk()
  ? listed.value.items.map(({ state, amount }) => `${state} ${amount}`)
  : [listed.error.type];
const notes = await journal.keys();
console.log(JSON.stringify({ step, payments, notes: notes.length }));
