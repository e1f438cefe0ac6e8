/** An IPv4 address in the form of an IPv6 socket. */
const mappedIpv4 = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i;
const ipv6 = /^(?=.*::|(?:[^:]+:){7}[^:]+$)[\da-f:.]{2,45}(?:%.*)?$/i;

/**
 * The network that counts as one sender: an IPv4 address, or the /64 network of an IPv6 address. A
 * subscriber gets at least a /64, with 2^64 addresses. Any other text counts as itself.
 */
export function networkOf(address: string): string {
  const ipv4 = mappedIpv4.exec(address)?.[1];
  if (ipv4 !== undefined) return ipv4;
  if (!ipv6.test(address)) return address;
  const [front = [], back = []] = address.split('::').map(groupsOf);
  const left = Math.max(0, 8 - front.length - back.length);
  const groups = [...front, ...Array.from({ length: left }, () => '0'), ...back].slice(0, 4);
  return `${groups.join(':')}::/64`;
}

/** Removes leading zeros, so that each address has one form. */
function groupsOf(part: string): string[] {
  return part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16).toString(16));
}
