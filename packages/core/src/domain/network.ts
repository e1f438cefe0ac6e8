/** An IPv4 address as a socket for IPv6 shows it. */
const mappedIpv4 = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i;
const ipv6 = /^(?=.*::|(?:[^:]+:){7}[^:]+$)[\da-f:.]{2,45}(?:%.*)?$/i;

/**
 * Who counts as one sender: an address of IPv4, or the /64 network of one of IPv6, since that is the
 * least that a subscriber gets, with 2^64 addresses in it. What is neither stands for itself.
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

/** Without the zeros in front, so that an address has one form. */
function groupsOf(part: string): string[] {
  return part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16).toString(16));
}
