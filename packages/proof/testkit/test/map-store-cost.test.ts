import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const fixture = new URL('./fixtures/count-steps.ts', import.meta.url).pathname;

async function stepsAt(size: number): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--conditions=@chairside/source',
    fixture,
    String(size),
  ]);
  return Number(stdout);
}

it('the store in memory takes as many steps for a payment at 20,000 payments as at 20', async () => {
  const [few, many] = await Promise.all([stepsAt(20), stepsAt(20_000)]);
  console.log(`${few} steps at 20 payments, ${many} at 20,000`);
  expect(few).toBeGreaterThan(500);
  // Only the search in an ordered index grows: by a few steps for a thousand times as many.
  expect(many).toBeLessThan(1.5 * few);
});

it('the store in memory, the clock and the builders load neither Vitest nor fast-check', async () => {
  const entry = new URL('../src/index.ts', import.meta.url).href;
  const code = `import ${JSON.stringify(entry)}`;
  const loaded = await promisify(execFile)(process.execPath, [
    '--conditions=@chairside/source',
    '--import',
    new URL('./fixtures/tell-modules.ts', import.meta.url).href,
    '--input-type=module',
    '--eval',
    code,
  ]);
  const modules = loaded.stdout.trim().split('\n');
  expect(modules).toContainEqual(expect.stringContaining('/testkit/src/'));
  expect(modules.filter((url) => /vitest|fast-check/.test(url))).toEqual([]);
});
