import { describe, expect, it } from 'vitest';
import { fastestSha256Hex, sha256Hex } from './text.ts';

// FIPS 180-2's own examples, and a text with characters of several bytes.
const known = [
  ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  ['Müller €', '00281902fa1dea30005cdaad32da5a380aa9fa391b96cdc02fb5799b225d3034'],
] as const;

describe.each<[string, () => typeof sha256Hex]>([
  ['of Node', () => sha256Hex],
  ['where there is no process', () => fastestSha256Hex(undefined)],
  ['where a process has no built-in modules', () => fastestSha256Hex({})],
  ['where it has no crypto', () => fastestSha256Hex({ getBuiltinModule: () => undefined })],
  ['where crypto has no hash', () => fastestSha256Hex({ getBuiltinModule: () => ({}) })],
  [
    'where the hash is not a function',
    () => fastestSha256Hex({ getBuiltinModule: () => ({ hash: 'sha256' }) }),
  ],
])('SHA-256 %s', (_, make) => {
  it.each(known)('of %j equals the standard’s', (text, hex) => {
    expect(make()(text)).toBe(hex);
  });
});

it('uses the hash of the runtime if there is one', () => {
  const hash = fastestSha256Hex({
    getBuiltinModule: (id) => ({ hash: (...asked: string[]) => [id, ...asked].join(' ') }),
  });
  expect(hash('abc')).toBe('crypto sha256 abc hex');
});
