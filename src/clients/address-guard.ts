import { type LookupAddress, type LookupOptions, lookup as systemLookup } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";

/** `allowInsecure` (ALLOW_INSECURE_PROVIDERS=1) permits plain http and private addresses, for development only. */
export interface AddressPolicy {
  allowInsecure: boolean;
}

export type UrlVerdict = { ok: true; url: URL } | { ok: false; reason: string };

/** Resolves every address of a name; the shape of `dns.lookup` with `all: true`. */
export type ResolveAll = (
  hostname: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** A name that resolves to a forbidden address. It names the host, never the address. */
export class ForbiddenAddressError extends Error {
  readonly code = "address_forbidden";

  constructor(hostname: string) {
    super(`${hostname} resolves to an address that is not on the public internet`);
    this.name = "ForbiddenAddressError";
  }
}

/** IANA's special-purpose IPv4 ranges, and multicast. */
const FORBIDDEN_IPV4: ReadonlyArray<readonly [string, number]> = [
  ["0.0.0.0", 8], // "this network", and the unspecified address
  ["10.0.0.0", 8], // private
  ["100.64.0.0", 10], // carrier-grade NAT
  ["127.0.0.0", 8], // loopback
  ["169.254.0.0", 16], // link-local, and the clouds' metadata
  ["172.16.0.0", 12], // private
  ["192.0.0.0", 24], // protocol assignments
  ["192.0.2.0", 24], // documentation
  ["192.88.99.0", 24], // 6to4 relays
  ["192.168.0.0", 16], // private
  ["198.18.0.0", 15], // benchmarks
  ["198.51.100.0", 24], // documentation
  ["203.0.113.0", 24], // documentation
  ["224.0.0.0", 4], // multicast
  ["240.0.0.0", 4], // reserved, and broadcast
];

/** Only 2000::/3 is global unicast: loopback, mapped, NAT64, unique-local, link-local and multicast lie outside. */
const GLOBAL_IPV6: ReadonlyArray<readonly [string, number]> = [["2000::", 3]];

/** The parts of 2000::/3 that are no hosts. */
const FORBIDDEN_IPV6: ReadonlyArray<readonly [string, number]> = [
  ["2001::", 23], // protocol assignments, Teredo among them
  ["2001:db8::", 32], // documentation
  ["2002::", 16], // 6to4 wraps an IPv4 address
  ["3fff::", 20], // documentation
];

const forbiddenIpv4 = blockList(FORBIDDEN_IPV4, "ipv4");
const globalIpv6 = blockList(GLOBAL_IPV6, "ipv6");
const forbiddenIpv6 = blockList(FORBIDDEN_IPV6, "ipv6");

/**
 * Returns whether the platform may call a provider at this URL, without a DNS lookup (decisions, "Personal data and
 * secrets"). Node never passes an IP literal to a connection's lookup, so both this check and `guardedLookup` are needed.
 * A reason repeats nothing of the URL, which may hold credentials.
 */
export function checkProviderUrl(text: string, policy: AddressPolicy): UrlVerdict {
  const url = URL.parse(text);
  if (url === null) return refused("not an absolute URL");
  const schemes = policy.allowInsecure ? ["https:", "http:"] : ["https:"];
  if (!schemes.includes(url.protocol)) return refused("only https is allowed");
  if (url.username !== "" || url.password !== "")
    return refused("user and password are not allowed in the URL");
  if (!policy.allowInsecure && isForbiddenHost(url.hostname)) {
    return refused("the host is not on the public internet");
  }
  return { ok: true, url };
}

/**
 * A `lookup` for undici's `connect` (or `net.connect`). It fails with ForbiddenAddressError when any address of the name is
 * forbidden, before a connection is opened. The checked addresses are the connected ones: a rebinding name gets no second
 * resolution.
 */
export function guardedLookup(policy: AddressPolicy, resolve: ResolveAll = systemLookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error) callback(error, "");
      else if (first === undefined || (!policy.allowInsecure && addresses.some(isForbiddenAnswer))) {
        callback(new ForbiddenAddressError(hostname), "");
      } else if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

function refused(reason: string): UrlVerdict {
  return { ok: false, reason };
}

/** `URL` has already turned 0x7f.1, 2130706433, 0177.1 and full-width digits into dotted decimals. */
function isForbiddenHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  if (isIP(host) !== 0) return isForbiddenAddress(host);
  return host === "" || host === "localhost" || host.endsWith(".localhost");
}

function isForbiddenAnswer(answer: LookupAddress): boolean {
  return isForbiddenAddress(answer.address);
}

function isForbiddenAddress(address: string): boolean {
  // BlockList does not read a zone (fe80::1%eth0); only non-global addresses have one.
  if (address.includes("%")) return true;
  switch (isIP(address)) {
    case 4:
      return forbiddenIpv4.check(address, "ipv4");
    case 6:
      return !globalIpv6.check(address, "ipv6") || forbiddenIpv6.check(address, "ipv6");
    default:
      return true;
  }
}

function blockList(ranges: ReadonlyArray<readonly [string, number]>, family: "ipv4" | "ipv6"): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of ranges) list.addSubnet(network, prefix, family);
  return list;
}
