import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { aPayment } from './a-payment.ts';

/** Bundles an entry as an app would, with the dependencies. */
async function bundle(contents: string, format: 'esm' | 'iife'): Promise<string> {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    bundle: true,
    minify: format === 'esm',
    format,
    globalName: 'chairside',
    target: 'es2020',
    conditions: ['@chairside/source'],
    metafile: true,
    write: false,
  });
  // Only types come from the core.
  const others = Object.keys(metafile.inputs).filter(
    (path) => !/packages\/client\/src\/|stdin/.test(path),
  );
  expect(others).toEqual([]);
  return outputFiles[0]?.text ?? '';
}

const client = "export { createClient } from '../src/index.ts';";
const register = "export { createClient, createRegister } from '../src/index.ts';";
const refunds = "export { refundOperations } from '../src/refunds.ts';";
const tips = "export * from '../src/tips.ts';";
const shares = "export * from '../src/shares.ts'; export * from '../src/share-screen.ts';";
const screen = "export * from '../src/screen.ts';";
const all =
  "export * from '../src/index.ts'; export { localStorageJournal } from '../src/journals.ts';";
const size = async (contents: string) => gzipSync(await bundle(contents, 'esm')).length;

it('is small: the calls alone, with the register, and everything with a journal', async () => {
  expect(await size(client)).toBeLessThanOrEqual(3.98 * 1024);
  expect(await size(register)).toBeLessThanOrEqual(9.31 * 1024);
  expect(await size(all)).toBeLessThanOrEqual(9.41 * 1024);
});

it('carries refunds only where they are imported (D141)', async () => {
  expect(await bundle(register, 'esm')).not.toContain('efund');
  expect(await size(refunds)).toBeLessThanOrEqual(0.7 * 1024);
  expect((await size(`${register}${refunds}`)) - (await size(register))).toBeLessThanOrEqual(512);
});

it('carries the choices of tips only where they are imported (D48)', async () => {
  expect(await bundle(all, 'esm')).not.toContain('No tip');
  expect(await bundle(tips, 'esm')).toContain('No tip');
  expect(await size(tips)).toBeLessThanOrEqual(512);
});

it('carries words and controls only where they are imported (D207)', async () => {
  expect(await bundle(register, 'esm')).not.toContain('Give back');
  expect(await size(screen)).toBeLessThanOrEqual(7.01 * 1024);
});

it('carries the question whose a payment is only where it is imported (D208)', async () => {
  expect(await bundle(`${register}${screen}`, 'esm')).not.toContain('owes it again');
  expect(await size(shares)).toBeLessThanOrEqual(3.5 * 1024);
});

/** Names that Hermes lacks, or lacks in some versions. */
const forbidden =
  /\b(?:process|Buffer|URL|URLSearchParams|TextEncoder|structuredClone|navigator|document|window|localStorage|require|WeakRef|Intl)\b\s*[.(]|AbortSignal\.(?:timeout|any)|Promise\.(?:withResolvers|try)|\.(?:toSorted|findLast|at|groupBy|replaceAll)\(/;

it('names no global that React Native lacks', async () => {
  const text = await bundle(`${register}${refunds}${tips}${screen}${shares}`, 'iife');
  expect(forbidden.exec(text)?.[0]).toBeUndefined();
});

it('takes a payment with only the features of Hermes', async () => {
  const calls: string[] = [];
  const code = await bundle(register, 'iife');
  // A new context has only the language: no crypto, URL or AbortSignal.timeout.
  const taken: unknown = await runInNewContext(
    `${code}
    const kept = new Map();
    let keys = 0;
    const client = chairside.createClient({
      baseUrl: 'https://shop.example',
      accessToken: () => 'token',
      newKey: () => 'key-' + ++keys,
      fetch,
    });
    const register = chairside.createRegister({
      client,
      subject: 'ada',
      journal: {
        keys: async () => [...kept.keys()],
        get: async (key) => kept.get(key),
        set: async (key, value) => void kept.set(key, value),
        remove: async (key) => void kept.delete(key),
      },
      reader: {
        ready: async () => undefined,
        retrieve: async () => ({ reference: 'r', collect: async () => 'approved' }),
      },
    });
    register.take({ appointmentId: 'a-1' }).then(({ step }) => step);`,
    {
      // React Native provides these.
      AbortController,
      setTimeout,
      clearTimeout,
      fetch: async (url: string) => {
        calls.push(url);
        return {
          status: 200,
          headers: { get: () => null },
          text: async () => JSON.stringify(aPayment),
        };
      },
    },
  );
  expect(taken).toBe('captured');
  expect(calls).toHaveLength(2);
});

it('throws at once without crypto and newKey', async () => {
  const code = await bundle(client, 'iife');
  const made = () =>
    runInNewContext(
      `${code}; chairside.createClient({ baseUrl: 'https://a.example', accessToken() {} })`,
    );
  expect(made).toThrow(/newKey/);
});
