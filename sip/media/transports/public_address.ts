import { names } from "../../../core/machine/net/names.ts";
import { isIP } from "node:net";
import { mediaLimits } from "../base/limits.ts";

/** The IP address at which peers outside reach this machine, as it is now. */
export interface PublicAddress {
  readonly address: string;
  /** Looks its name up no more. */
  close(): void;
}

/** Options of the look-up of an address. */
export interface PublicAddressOptions {
  /** The IP address, or a host name that has it. */
  host: string;
  /** The family that peers need; 0: either. */
  family: 0 | 4 | 6;
  log: (line: string, fields?: Record<string, unknown>) => void;
  /** Looks a name up; asks the machine's name servers unless given. */
  resolve?: (name: string, family: 0 | 4 | 6) => Promise<string>;
  /** Time between look-ups of a name, in ms. */
  everyMs?: number;
}

/**
 * Finds the address of a host; rejects when a name has none. A name is looked up again and again, so
 * that legs opened after its address changed advertise the new one. While it cannot be looked up, the
 * last address counts.
 */
export async function publicAddress(
  {
    host,
    family,
    log,
    resolve = byNameServers,
    everyMs = mediaLimits.publicAddressMs,
  }: PublicAddressOptions,
): Promise<PublicAddress> {
  if (isIP(host) !== 0) return { address: host, close: () => {} };
  let address = await resolve(host, family).catch((error) => {
    throw new Error(
      `Cannot find the address of ${host}, which PUBLIC_IP or RTP_HOST names: ${error.message}`,
    );
  });
  const again = async () => {
    try {
      const now = await resolve(host, family);
      if (now !== address) {
        log("The public address changed", { level: "info", host, from: address, to: now });
      }
      address = now;
    } catch (error) {
      log("Cannot resolve the public address", { host, address, error: String(error) });
    }
  };
  const timer = setInterval(again, everyMs);
  return {
    get address() {
      return address;
    },
    close: () => clearInterval(timer),
  };
}

async function byNameServers(name: string, family: 0 | 4 | 6): Promise<string> {
  const found = await names.addressesOf(name);
  const one = found.find((each) => family === 0 || each.family === family);
  if (one === undefined) throw new Error(`the name ${name} has no address of IPv${family}`);
  return one.address;
}
