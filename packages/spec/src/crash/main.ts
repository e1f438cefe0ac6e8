import { parseArgs } from 'node:util';
import { type CrashReport, crash } from './run.ts';

const { values } = parseArgs({
  options: {
    cycles: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    servers: { type: 'string', default: '1' },
    bug: { type: 'string' },
  },
});

const begun = performance.now();
const seconds = () => ((performance.now() - begun) / 1000).toFixed(1);
const say = (text: string, end = '\n') => process.stderr.write(`\r\x1b[K${text}${end}`);

const summary = ({ cycles, requests, acknowledged, unknown, captured, ...lost }: CrashReport) =>
  `${cycles} cycles, ${requests} requests: ${acknowledged} acknowledged, ${unknown} unknown, ` +
  `${lost.lostCreates} creates and ${lost.lostCaptures} captures cut off; ${captured} payments captured`;

const report = await crash({
  cycles: Number(values.cycles),
  seed: Number(values.seed),
  servers: Number(values.servers),
  ...(values.bug !== undefined && { bug: values.bug }),
  onProgress: (progress) => say(summary(progress), ''),
});
say(`${summary(report)}, in ${seconds()} s`);
for (const [phase, count] of Object.entries(report.kills)) say(`  ${count} kills when ${phase}`);
for (const violation of report.violations) console.log(violation);
if (report.folder !== undefined) console.log(`left for a look: ${report.folder}`);
if (report.violations.length > 0) process.exitCode = 1;
