import { isIPv4 } from "node:net";
import type { Address } from "../rtp/latch.ts";
import { mediaLimits } from "../base/limits.ts";
import type { Datagrams } from "../rtp/rtp_sockets.ts";
import { isLoopback, machineAddresses, networkInterfaces } from "./host_candidates.ts";

/** A socket for one peer, or for all of them. */
export interface WebrtcDatagrams extends Datagrams {
  /** Address at which programs of this machine reach it besides: that of a network interface. */
  machineAddress?: Address;
}

/** Binds a port of an address, 0 being any. */
type Bind = (address: string, port: number) => Promise<Datagrams>;

/**
 * Puts a second socket beside one of a loopback address, at an address of a network interface: some
 * browsers, Firefox among them, send nothing to loopback candidates. What this socket hears from
 * other machines is dropped, so that both are for this machine alone. A machine without such an
 * interface has the first socket only.
 */
export async function withMachineSocket(
  loopback: Datagrams,
  address: string,
  bind: Bind,
): Promise<WebrtcDatagrams> {
  const family = isIPv4(address);
  const real = machineAddresses("::").find((each) => isIPv4(each) === family);
  if (real === undefined) return loopback;
  const machine = await bind(real, loopback.port).catch(() => bind(real, 0)).catch(() => undefined);
  return machine === undefined ? loopback : together(loopback, machine, real);
}

function together(loopback: Datagrams, machine: Datagrams, address: string): WebrtcDatagrams {
  /** Peers at a loopback address that reach the other socket, and the reverse. */
  const crossed = new Set<string>();
  const heard = (bytes: Uint8Array, from: Address, atLoopback: boolean) => {
    if (isLoopback(from.address) === atLoopback) {
      if (crossed.size > 0) crossed.delete(placeOf(from));
    } else {
      if (crossed.size >= mediaLimits.peerPlaces) crossed.clear();
      crossed.add(placeOf(from));
    }
    outer.onMessage(bytes, from);
  };
  loopback.onMessage = (bytes, from) => heard(bytes, from, true);
  machine.onMessage = (bytes, from) => {
    if (isOwn(from.address)) heard(bytes, from, false);
  };
  const outer: WebrtcDatagrams = {
    port: loopback.port,
    machineAddress: { address, port: machine.port },
    onMessage: () => {},
    // From where the peer was heard last: ICE takes answers from there alone (RFC 8445 §7.2.5.2.1).
    send(bytes, to) {
      const isCrossed = crossed.size > 0 && crossed.has(placeOf(to));
      if (isLoopback(to.address) !== isCrossed) return loopback.send(bytes, to);
      if (isOwn(to.address)) machine.send(bytes, to);
    },
    async close() {
      await Promise.all([loopback.close(), machine.close()]);
    },
  };
  return outer;
}

/** True where an address is one of this machine's, as it was a moment ago at most. */
const isOwn = (address: string): boolean =>
  isLoopback(address) || networkInterfaces().some((each) => each.address === address);

const placeOf = ({ address, port }: Address): string => `${address} ${port}`;
