import { isIPv4 } from "node:net";
import { authority, type Config } from "./config.ts";
import { isEveryAddress, isLoopback, type MachineAddresses } from "./machine_addresses.ts";

/** A note for the operator about advertised addresses, and the process that it is about. */
export interface AddressNote {
  of: "api" | "sip";
  text: string;
}

/** Without an interface, browsers gather no candidates for ICE, or only when they are started so. */
const noInterface: AddressNote = {
  of: "sip",
  text:
    "This machine has no network address but the loopback's. Browsers send no WebRTC audio there, " +
    "so calls of /softphone are not connected. Bring up a network interface, which Firefox needs, or " +
    "start Chromium with --allow-loopback-in-peer-connection. Phones with plain RTP work.",
};

/**
 * The line of a start with the address of a listener, and, where that is another one, the address that
 * its socket listens on.
 */
export function startLine(
  what: string,
  reached: string,
  { host, port }: { readonly host: string; readonly port: number },
): string {
  const listened = authority(host, port);
  const note = reached.includes(listened) ? "" : ` (listens on ${listened})`;
  return `${what}: ${reached}${note}`;
}

/** Names the variables to set where the address at which others reach this machine is not configured. */
export function addressNotes(
  config: Config,
  isSet: (name: keyof Config) => boolean,
  { v4, v6 }: MachineAddresses,
): AddressNote[] {
  const told = (names: (keyof Config)[]) =>
    names.filter((name) => !isSet(name)).map((name) => `${name}=${config[name]}`).join(", ");
  const notes: AddressNote[] = [];
  const guess = (
    of: AddressNote["of"],
    host: keyof Config,
    names: (keyof Config)[],
    set: string,
  ) => {
    const guessed = told(names);
    if (!isEveryAddress(config[host]) || guessed === "") return;
    notes.push({
      of,
      text: `${host}=${config[host]} is no address that clients can connect to. The service ` +
        `advertises ${guessed}. If that is wrong, set ${set}.`,
    });
  };
  if (config.PUBLIC_IP === "") {
    guess("api", "HOST", ["BASE_URL"], "BASE_URL or PUBLIC_IP");
    const names: (keyof Config)[] = ["RTP_HOST", "SIP_PUBLIC_HOST", "SIP_WS_URL"];
    guess("sip", "SIP_HOST", names, "PUBLIC_IP, or each of these");
  } else if (isLoopback(config.SIP_HOST)) {
    notes.push({
      of: "sip",
      text: `PUBLIC_IP=${config.PUBLIC_IP} is advertised for SIP and audio, but SIP_HOST=` +
        `${config.SIP_HOST} listens on this machine only. Set HOST or SIP_HOST to 0.0.0.0, or to ` +
        "this machine's address.",
    });
  }
  if (config.SIP_HOST.includes(":") && isIPv4(config.RTP_HOST)) {
    notes.push({
      of: "sip",
      text: `RTP_HOST=${config.RTP_HOST} is an IPv4 address, but with SIP_HOST=` +
        `${config.SIP_HOST} the companion accepts plain RTP over IPv6 only. Set SIP_HOST to 0.0.0.0.`,
    });
  }
  if (v4 === undefined && v6 === undefined) notes.push(noInterface);
  guess("sip", "BRIDGE_HOST", ["BRIDGE_URL"], "BRIDGE_URL");
  return notes;
}
