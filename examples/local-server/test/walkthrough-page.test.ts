import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { walkthrough } from '../src/walkthrough.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/guide/local-server.md'), 'utf8');

test('the guide shows the printed walkthrough', () => {
  expect(page).toContain(`\`\`\`sh\n${walkthrough('http://127.0.0.1:3000')}\n\`\`\`\n`);
});
