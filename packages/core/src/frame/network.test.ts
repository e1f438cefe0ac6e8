import { expect, it } from 'vitest';
import { networkOf } from './access.ts';

it.each([
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64'],
  ['2001:db8::6', '2001:db8:0:0::/64'],
  ['[2001:db8::6]:443', '2001:db8:0:0::/64'],
  ['2001:db8::1:2:3:4:5', '2001:db8:0:1::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
])('an IPv6 address counts for its /64: %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:192.0.2.1', '192.0.2.1'],
  ['192.0.2.1:443', '192.0.2.1'],
  ['forged, 203.0.113.9, 192.0.2.1', '192.0.2.1'],
  ['forged again,192.0.2.1:50812', '192.0.2.1'],
])('an IPv4 address counts for itself: %s', (address, itself) => {
  expect(networkOf(address)).toBe(itself);
});

it.each(['', 'unix', 'shop:7', 'a:b:c', 'caller::7x', ':'.repeat(64)])(
  'another text of a host counts for itself: %s',
  (name) => {
    expect(networkOf(name)).toBe(name);
  },
);

it.each(['x'.repeat(9000), `${'x'.repeat(9000)}y`, 'a\0b', '\ud800'])(
  'a text that no index takes counts by its hash',
  (text) => {
    expect(networkOf(text)).toMatch(/^[0-9a-f]{64}$/);
    expect(networkOf(text)).not.toBe(networkOf(`${text}z`));
  },
);

it.each(['1', ':', '[', '.', ',', ' '])(
  'a long text takes no longer than its length: %j',
  (part) => {
    const begunAt = performance.now();
    for (let n = 0; n < 20; n += 1) networkOf(part.repeat(200_000));
    expect(performance.now() - begunAt).toBeLessThan(5000);
  },
);
