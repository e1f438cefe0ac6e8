import { lookup as lookupHost } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Addresses of cloud services inside a machine's own network, in ranges that are public otherwise. */
const cloudAddresses = [
  '168.63.129.16', // Azure's platform: DHCP, DNS, health probes
  '192.0.0.192', // Oracle Cloud: its metadata, beside 169.254.169.254
  '100.100.100.200', // Alibaba Cloud: its metadata
  'fd00:ec2::254', // AWS: its metadata over IPv6
  'fd20:ce::254', // Google Cloud: the same
  'fd00:c1::a9fe:a9fe', // Oracle Cloud: the same
];
/** IANA allocates public IPv6 addresses from 2000::/3 alone; `::7f00:1` stands for 127.0.0.1. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether this text is an IP address that is not public: private, local, reserved, or an IPv6 address
 * that stands for such an IPv4 address.
 */
export function isPrivateAddress(host: string): boolean {
  if (!ipaddr.isValid(host)) return false;
  const address = ipaddr.process(host);
  if (cloudAddresses.includes(address.toString())) return true;
  const isOutside = address instanceof ipaddr.IPv6 && !address.match(globalUnicast);
  return isOutside || address.range() !== 'unicast';
}

/** The name of the error for a host name that leads to a private address. */
export const privateAddress = 'privateAddress';

/**
 * Resolves a host name to its public addresses. The socket connects to an address from this very
 * look-up, so a name cannot change its address after the check.
 */
export const lookupPublic: LookupFunction = (hostname, options, callback) => {
  lookupHost(hostname, { ...options, all: true }, (error, found) => {
    const addresses = error ? [] : found.filter(({ address }) => !isPrivateAddress(address));
    const [first] = addresses;
    if (first === undefined) {
      callback(error ?? Object.assign(new Error(privateAddress), { code: privateAddress }), []);
    } else if (options.all === true) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
};
