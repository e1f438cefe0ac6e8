import { parseArgs } from 'node:util';
import { orUsage, wholeNumber } from '@chairside/spec/command-line';
import { fuzz } from './run.ts';

const usage = `npx --yes pnpm trial fuzz [--requests 20000] [--seed 1]
  Sends malformed requests over real sockets; none may be a 5xx or change a record.`;

const options = orUsage(usage, () => {
  const { values } = parseArgs({
    options: {
      requests: { type: 'string', default: '20000' },
      seed: { type: 'string', default: '1' },
    },
  });
  return { requests: wholeNumber(values.requests), seed: wholeNumber(values.seed) };
});

const begun = performance.now();
const seconds = () => (performance.now() - begun) / 1000;
const { sent, unanswered, byStatus, faults } = await fuzz({
  ...options,
  onProgress: ({ sent }) => {
    process.stderr.write(`\r${sent} requests, ${Math.round(sent / seconds())} a second `);
  },
});
process.stderr.write('\n');
console.log(`${sent} requests in ${seconds().toFixed(1)} s, seed ${options.seed}`);
for (const [status, count] of Object.entries(byStatus)) console.log(`  ${status}: ${count}`);
console.log(`  no answer: ${unanswered}`);
for (const fault of faults) console.log(fault);
if (faults.length > 0) process.exitCode = 1;
