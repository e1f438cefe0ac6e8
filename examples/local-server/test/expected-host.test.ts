import { expect, test } from 'vitest';
import { isExpectedHost } from '../src/expected-host.ts';

test.for([
  ['localhost', true],
  ['LOCALHOST:3000', true],
  ['127.0.0.1:3000', true],
  ['192.168.1.7', true],
  ['[::1]:3000', true],
  ['pay.example', true],
  ['pay.example:8443', true],
  ['evil.example', false],
  ['evil.example:3000', false],
  ['localhost.evil.example', false],
  ['127.0.0.1.evil.example', false],
  ['pay.example.evil.example', false],
  ['::1', false],
  ['%zz', false],
] as const)('a Host of %s is one of this server: %s', ([host, isExpected]) => {
  expect(isExpectedHost(host, 'https://pay.example/payments')).toBe(isExpected);
});
