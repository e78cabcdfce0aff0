import { isAddress } from "../../base/public_address.ts";

/** This machine's first address of each family that is not of the loopback, as far as it has one. */
export interface MachineAddresses {
  v4?: string;
  v6?: string;
}

/** The variable by which the supervisor passes this machine's addresses to its processes. */
export const machineVariable = "SWITCHBOARD_MACHINE_ADDRESSES";

/** The addresses of this machine. A network bridge of Docker is not reachable from outside. */
export function machineAddresses(): MachineAddresses {
  const outside = Deno.networkInterfaces()
    .filter(({ name, address }) => name !== "docker0" && !/^(127\.|::1$|fe80:)/i.test(address));
  return readMachineAddresses(outside.map(({ address }) => address).join(","));
}

/** The same from the variable, or from any list of addresses. */
export function readMachineAddresses(text = ""): MachineAddresses {
  const all = text.split(",").filter(isAddress);
  const [v4] = all.filter((address) => !address.includes(":"));
  const [v6] = all.filter((address) => address.includes(":"));
  return { ...v4 !== undefined && { v4 }, ...v6 !== undefined && { v6 } };
}

/** The addresses as the variable has them. */
export const writeMachineAddresses = ({ v4 = "", v6 = "" }: MachineAddresses): string =>
  `${v4},${v6}`;

/** True when a host to listen on is every address of the machine, so that no peer can connect to it. */
export const isEveryAddress = (host: unknown): boolean => ["0.0.0.0", "::"].includes(String(host));

/** True when only this machine reaches a host that is listened on. */
export const isLoopback = (host: unknown): boolean =>
  /^(localhost|127\..*|::1)$/.test(String(host));

/** A host that is listened on as this machine itself reaches it. */
export const withinMachine = (host: unknown): string =>
  isEveryAddress(host) ? (host === "::" ? "::1" : "127.0.0.1") : String(host);

/** The same as others on its network reach it: of every address, the machine's first one. */
export function onNetwork(host: unknown, { v4, v6 }: MachineAddresses): string {
  if (!isEveryAddress(host)) return String(host);
  return (host === "::" ? v6 ?? v4 : v4) ?? withinMachine(host);
}

type Values = Record<string, unknown>;

/** Host at which customers reach a listener: PUBLIC_IP, unless the listener serves this machine alone. */
export const publicHost = (host: unknown, { PUBLIC_IP }: Values, machine: MachineAddresses) =>
  isLoopback(host) ? String(host) : String(PUBLIC_IP || onNetwork(host, machine));

/**
 * The default of SIP_PUBLIC_HOST, where SIP peers reach a companion: an address, a name, or the
 * domain of Clients.
 */
export function sipPublicHost(
  { PUBLIC_IP, SIP_HOST, SIP_DOMAIN }: Values,
  machine: MachineAddresses,
): string {
  if (PUBLIC_IP || !isEveryAddress(SIP_HOST)) return String(PUBLIC_IP || SIP_HOST);
  return isLoopback(SIP_DOMAIN) ? onNetwork(SIP_HOST, machine) : String(SIP_DOMAIN);
}
