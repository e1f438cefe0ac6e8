// Judges histories, each in a file of its own. Exits with 1 if one has a finding.
import { readFileSync } from 'node:fs';
import { judge, parseHistory } from './index.ts';

let wrong = 0;
for (const file of process.argv.slice(2)) {
  const history = parseHistory(readFileSync(file, 'utf8'));
  const findings = judge(history);
  for (const { appointment, what, detail } of findings) {
    console.log(`${file}: ${appointment}: ${what}: ${detail}`);
  }
  console.log(`${file}: ${history.length} events, ${findings.length} findings`);
  wrong += findings.length;
}
process.exitCode = wrong > 0 ? 1 : 0;
