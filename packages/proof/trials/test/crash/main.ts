import { parseArgs } from 'node:util';
import { orUsage, wholeNumber } from '@chairside/spec/command-line';
import { crash } from './run.ts';

const usage = `npx --yes pnpm trial crash [--cycles 100] [--seed 1] [--servers 1]
  Kills a server under load, again and again, starts it again and holds what clients were told,
  its database and the processor's books against one another. With --servers 2, two processes
  share the database, and are killed one after the other.`;

const options = orUsage(usage, () => {
  const { values } = parseArgs({
    options: {
      cycles: { type: 'string', default: '100' },
      seed: { type: 'string', default: '1' },
      servers: { type: 'string', default: '1' },
      bug: { type: 'string' },
    },
  });
  return {
    cycles: wholeNumber(values.cycles),
    seed: wholeNumber(values.seed),
    servers: wholeNumber(values.servers),
    ...(values.bug !== undefined && { bug: values.bug }),
  };
});

const begun = performance.now();
const seconds = () => ((performance.now() - begun) / 1000).toFixed(1);
const say = (text: string, end = '\n') => process.stderr.write(`\r\x1b[K${text}${end}`);

const report = await crash({
  ...options,
  onProgress: ({ cycles }) => say(`${cycles} cycles`, ''),
});
const { cycles, requests, acknowledged, unknown, lost, captured, refunds, kills } = report;
say(
  `${cycles} cycles in ${seconds()} s, ${requests} requests: ${acknowledged} acknowledged, ${unknown} unknown, ` +
    `${lost} cut off; ${captured} payments captured, ${refunds} refunds made`,
);
for (const [phase, count] of kills) say(`  ${count} kills when ${phase}`);
for (const violation of report.violations) console.log(violation);
if (report.folder !== undefined) console.log(`left for a look: ${report.folder}`);
if (report.violations.length > 0) process.exitCode = 1;
