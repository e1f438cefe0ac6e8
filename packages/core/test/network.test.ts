import { expect, it } from 'vitest';
import { networkOf } from '../src/domain/network.ts';

it.each([
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64'],
  ['2001:db8::6', '2001:db8:0:0::/64'],
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
])('an IPv4 address counts for itself: %s', (address, itself) => {
  expect(networkOf(address)).toBe(itself);
});

it.each(['', 'unix', '192.0.2.1:443', 'shop:7', 'a:b:c', 'caller::7x', ':'.repeat(100)])(
  'another text of a host counts for itself: %s',
  (name) => {
    expect(networkOf(name)).toBe(name);
  },
);
