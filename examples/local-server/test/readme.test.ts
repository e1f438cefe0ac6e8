import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { walkthrough } from '../src/walkthrough.ts';

const readme = readFileSync(join(import.meta.dirname, '../../../README.md'), 'utf8');

test('README shows the walkthrough as it is printed', () => {
  expect(readme).toContain(`\`\`\`sh\n${walkthrough('http://127.0.0.1:3000')}\n\`\`\`\n`);
});
