import { BlockList, isIP, isIPv6 } from 'node:net';
import { oneHeader, type RequestHeaders } from '../../runtime/http/request-headers.js';

/** The parts of a node request that identify its caller. */
export interface Arrived {
  readonly headers: RequestHeaders;
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** Reads the addresses of callers. */
export interface Addresses {
  /**
   * The caller's address: the socket's or, behind a trusted proxy, the last forwarded one that is not a trusted
   * proxy's. For IPv6 it is the caller's whole network, whose addresses count as one.
   */
  of(request: Arrived): string;
  isProxy(address: string): boolean;
}

/** Reads addresses behind proxies, each given as an address or a network such as `10.0.0.0/8`. */
export function createAddresses(proxies: readonly string[]): Addresses {
  const trusted = new BlockList();
  for (const proxy of proxies) {
    const [address = '', bits] = proxy.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (bits === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(bits), family);
  }
  const isProxy = (address: string): boolean =>
    proxies.length > 0 && isIP(address) !== 0 && trusted.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');

  return {
    isProxy: (address) => isProxy(plain(address)),
    of({ socket, headers }) {
      let address = plain(socket.remoteAddress ?? '');
      if (!isProxy(address)) return network(address);
      const forwarded = (oneHeader(headers, 'x-forwarded-for') ?? '').split(',');
      for (const text of forwarded.reverse()) {
        const hop = readHop(text.trim());
        if (isIP(hop) === 0) break;
        address = hop;
        if (!isProxy(hop)) break;
      }
      return network(address);
    },
  };
}

/** Normalizes an address as proxies write it: some add a port or brackets. */
function readHop(text: string): string {
  const [, bracketed, withPort] = /^\[([^\]]+)\](?::\d+)?$|^([\d.]+):\d+$/.exec(text) ?? [];
  const address = bracketed ?? withPort ?? text;
  return isIPv6(address) && !address.includes('%')
    ? plain(new URL(`http://[${address}]`).hostname.slice(1, -1))
    : address;
}

/** Writes an IPv4 address that arrived on an IPv6 socket as IPv4. */
function plain(address: string): string {
  if (!address.includes(':')) return address;
  if (/^::ffff:\d+\.\d+\.\d+\.\d+$/i.test(address)) return address.slice(7);
  const [, high, low] = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/.exec(address) ?? [];
  if (high === undefined || low === undefined) return address;
  const bits = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return bits.flatMap((pair) => [pair >> 8, pair & 255]).join('.');
}

/** The first 64 bits of an IPv6 address; any other address unchanged. */
function network(address: string): string {
  if (!address.includes(':') || !isIPv6(address)) return address;
  const [head = '', tail] = address.split('%')[0]?.split('::') ?? [];
  const [before, after] = [head, tail ?? ''].map((part) => (part === '' ? [] : part.split(':'))) as [
    string[],
    string[],
  ];
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0');
  return `${[...before, ...zeros, ...after].slice(0, 4).join(':')}::/64`;
}
