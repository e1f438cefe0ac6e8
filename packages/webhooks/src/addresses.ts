import { lookup as lookupHost } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Whether this text is an IP address that is not public: private, local, reserved, or an IPv6 address
 * that stands for such an IPv4 address.
 */
export function isPrivateAddress(host: string): boolean {
  return ipaddr.isValid(host) && ipaddr.process(host).range() !== 'unicast';
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
