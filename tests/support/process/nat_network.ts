import { run } from "./run.ts";
import { isAlive } from "./system.ts";

/**
 * A small internet of network namespaces, which nothing outside of them shares:
 *
 *   net      203.0.113.1, on the internet; the tests themselves run here
 *   cloud    a 1:1 NAT: 203.0.113.10 is `server`, address for address and port for port
 *   server   10.0.0.2, behind `cloud`
 *   near     10.0.0.3, on the same private network
 *   home     a port-restricted NAT at 203.0.113.20 (RFC 4787 §5: address and port-dependent filtering)
 *   user     192.168.7.2, behind `home`
 *   alone    127.0.0.1, a machine that has the loopback and no network
 */
export const hosts = {
  net: "203.0.113.1",
  cloud: "203.0.113.10",
  server: "10.0.0.2",
  near: "10.0.0.3",
  home: "203.0.113.20",
  user: "192.168.7.2",
  alone: "127.0.0.1",
} as const;

export type Host = keyof typeof hosts;

const PREFIX = "swnat";
const NOWHERE = "203.0.113.254";
const nameOf = (network: string, host: Host) => `${network}-${host}`;

/** The command line that runs a program on a host of a network. */
export const onHost = (network: string, host: Host): [string, ...string[]] => [
  "ip",
  "netns",
  "exec",
  nameOf(network, host),
];

const cloudRules = `table ip nat {
  chain in { type nat hook prerouting priority dstnat; iifname "wan" dnat to ${hosts.server}; }
  chain out { type nat hook postrouting priority srcnat;
    oifname "wan" ip saddr ${hosts.server} snat to ${hosts.cloud};
    oifname "wan" masquerade; }
}`;

const homeRules = `table ip nat {
  chain out { type nat hook postrouting priority srcnat; oifname "wan" masquerade; }
}
table ip filter {
  chain through { type filter hook forward priority filter; policy drop;
    iifname "lan" accept; ct state established,related accept; }
  chain in { type filter hook input priority filter; policy drop;
    ct state established,related accept; }
}`;

/** Creates a network; its name has the id of this process. */
export async function makeNetwork(): Promise<string> {
  await removeLeftBehind();
  const network = `${PREFIX}-${Deno.pid}-${crypto.randomUUID().slice(0, 4)}`;
  const at = (host: Host) => nameOf(network, host);
  const all = Object.keys(hosts) as Host[];
  try {
    await batch("", all.map((host) => `netns add ${at(host)}`));
    for (const host of all) await batch(at(host), ["link set lo up"]);
    for (
      const [router, bridge] of [["net", "internet"], ["cloud", "lan"], ["home", "lan"]] as const
    ) {
      await batch(at(router), [`link add ${bridge} type bridge`, `link set ${bridge} up`]);
    }
    await batch(at("net"), [
      `addr add ${hosts.net}/24 dev internet`,
      // Datagrams to any other address are lost on the way, as on the internet, and are no error.
      `neigh add ${NOWHERE} lladdr 02:00:00:00:00:01 dev internet nud permanent`,
      `route add default via ${NOWHERE}`,
    ]);
    await batch(at("cloud"), ["addr add 10.0.0.1/24 dev lan"]);
    await batch(at("home"), ["addr add 192.168.7.1/24 dev lan"]);
    for (const [host, dev, router, bridge, gateway] of wires) {
      await batch("", [
        `link add ${dev} netns ${at(host)} type veth peer ${host} netns ${at(router)}`,
      ]);
      await batch(at(router), [`link set ${host} master ${bridge} up`]);
      const route = gateway === "" ? [] : [`route add default via ${gateway}`];
      await batch(at(host), [
        `addr add ${hosts[host]}/24 dev ${dev}`,
        `link set ${dev} up`,
        ...route,
      ]);
    }
    await behindNat(network, "cloud", cloudRules);
    await behindNat(network, "home", homeRules);
    return network;
  } catch (error) {
    await removeNetwork(network);
    throw error;
  }
}

const wires: [host: Host, dev: string, router: Host, bridge: string, gateway: string][] = [
  ["cloud", "wan", "net", "internet", ""],
  ["home", "wan", "net", "internet", ""],
  ["server", "eth0", "cloud", "lan", "10.0.0.1"],
  ["near", "eth0", "cloud", "lan", "10.0.0.1"],
  ["user", "eth0", "home", "lan", "192.168.7.1"],
];

async function behindNat(network: string, router: Host, rules: string): Promise<void> {
  const [ip, ...before] = onHost(network, router);
  await run(ip, [...before, "sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward"]);
  await run(ip, [...before, "nft", "-f", "-"], rules);
}

/** Has the router of `user` pass no UDP from now on. */
export async function blockUdp(network: string): Promise<void> {
  const [ip, ...before] = onHost(network, "home");
  const rule = "insert rule ip filter through meta l4proto udp drop\n";
  await run(ip, [...before, "nft", "-f", "-"], rule);
}

/** Ends what runs in a network, and removes it. */
export async function removeNetwork(network: string): Promise<void> {
  for (const host of Object.keys(hosts) as Host[]) {
    const name = nameOf(network, host);
    const pids = await run("ip", ["netns", "pids", name]).catch(() => "");
    for (const pid of pids.split("\n").map(Number).filter((pid) => pid > 0)) {
      try {
        Deno.kill(pid, "SIGKILL");
      } catch {
        // It has ended meanwhile.
      }
    }
    await run("ip", ["netns", "del", name]).catch(() => {}); // It was not made.
  }
}

/** Removes the networks of tests that were killed before they could do so. */
async function removeLeftBehind(): Promise<void> {
  const names = (await run("ip", ["netns", "list"])).split("\n");
  const networks = new Set(
    names.flatMap((name) => new RegExp(`^(${PREFIX}-(\\d+)-\\w+)-`).exec(name)?.[1] ?? []),
  );
  for (const network of networks) {
    if (!isAlive(Number(network.split("-")[1]))) await removeNetwork(network);
  }
}

const batch = (name: string, lines: string[]) =>
  run("ip", [...name === "" ? [] : ["-n", name], "-batch", "-"], lines.join("\n") + "\n");
