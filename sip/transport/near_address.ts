import { steadyNow } from "../../core/base/steady_clock.ts";
import { BlockList, isIP } from "node:net";

/** The address at which peers on a network of this machine reach it, of those peers alone. */
export type NearAddress = (remote: string) => string | undefined;

/** A network interface, as Deno lists them. */
type Interface = Pick<Deno.NetworkInterfaceInfo, "address" | "cidr">;

/** Time for which the list of interfaces is cached, in ms. */
const KEPT_MS = 10_000;

/**
 * Finds the machine's own address on the network that a peer is on. Behind a NAT such a peer may not
 * reach the public address (RFC 4787 §6). A socket that is bound to one address has
 * only that one. The source of signalling decides, not the private addresses in SDP, which many networks
 * share. Behind a proxy a phone may be anywhere, and gets PUBLIC_IP.
 */
export function nearAddress(
  bindAddress: string,
  list: () => Interface[] = Deno.networkInterfaces,
  now: () => number = steadyNow,
): NearAddress {
  const isBound = (address: string) =>
    /^[0.:]+$/.test(bindAddress) ? true : address === bindAddress;
  let networks: [address: string, network: BlockList][] = [];
  let until = 0;
  return (remote) => {
    const version = isIP(remote);
    if (version === 0) return undefined;
    if (now() >= until) {
      until = now() + KEPT_MS;
      networks = list().filter(({ address }) => isBound(address)).map(networkOf);
    }
    return networks.find(([, network]) => network.check(remote, `ipv${version as 4 | 6}`))?.[0];
  };
}

function networkOf({ address, cidr }: Interface): [string, BlockList] {
  const network = new BlockList();
  network.addSubnet(address, Number(cidr.split("/")[1]), address.includes(":") ? "ipv6" : "ipv4");
  return [address, network];
}
