import { parseArgs } from 'node:util';
import { fuzz } from './run.ts';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '20000' },
    seed: { type: 'string', default: '1' },
  },
});

const begun = performance.now();
const seconds = () => (performance.now() - begun) / 1000;
const { sent, unanswered, byStatus, faults } = await fuzz({
  requests: Number(values.requests),
  seed: Number(values.seed),
  onProgress: ({ sent }) => {
    process.stderr.write(`\r${sent} requests, ${Math.round(sent / seconds())} a second `);
  },
});
process.stderr.write('\n');
console.log(`${sent} requests in ${seconds().toFixed(1)} s, seed ${values.seed}`);
for (const [status, count] of Object.entries(byStatus)) console.log(`  ${status}: ${count}`);
console.log(`  no answer: ${unanswered}`);
for (const fault of faults) console.log(fault);
if (faults.length > 0) process.exitCode = 1;
