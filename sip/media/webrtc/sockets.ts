/**
 * Sockets of WebRTC. On one port (MEDIA_PORT) ICE names the leg by its ufrag, and other packets go to the
 * legs that have sent to their source. Two legs of one companion cannot be each other's WebRTC peers on
 * it, which no call needs. The ufrags of one leg share 8 characters there, over its ICE restarts.
 */
import { isIP, isIPv4, isIPv6 } from "node:net";
import { listenError } from "../../../core/base/listen_error.ts";
import type { Address } from "../rtp/latch.ts";
import { mediaLimits } from "../base/limits.ts";
import { shortageOf } from "../base/port.ts";
import { type BindOptions, type Datagrams, type Udp, udpByDeno } from "../rtp/rtp_sockets.ts";
import { ShortLivedMap } from "../../../core/base/short_lived_map.ts";
import { isLoopback } from "./host_candidates.ts";
import { type WebrtcDatagrams, withMachineSocket } from "./machine_socket.ts";
import { parseStun } from "./stun.ts";

/** Addresses of the WebRTC sockets of this process. */
export interface WebrtcPlace {
  /** Address of sockets; 0.0.0.0 offers all addresses that the machine has. */
  bindAddress: string;
  /** One UDP port for all peers; each has its own unless given. */
  port?: number;
  /** Takes that port over from a Worker of this process that hangs. */
  takesOver?: boolean;
  /** Public address of a 1:1 NAT before the machine: an IP address, or a name that has it. */
  publicHost?: string;
}

/** Opens the ways on which peers are met. */
export interface WebrtcSockets {
  readonly bindAddress: string;
  /** The address that a 1:1 NAT gives the machine; none unless there. */
  readonly publicAddress?: string;
  /**
   * One for the peer that calls us by a name of ICE, or by one that begins with it where the name has
   * all its `NAME_CHARACTERS`; rejects when it is not to be had.
   */
  open(name: string): Promise<WebrtcDatagrams>;
  /** Frees what its peers shared; they are closed. */
  close(): Promise<void>;
}

/** Length of the ufrag prefix that identifies a peer; the rest changes with each ICE restart. */
export const NAME_CHARACTERS = 8;

/** The sockets of a place, opened by Deno unless told; rejects when its port is not to be had. */
export async function webrtcSockets(
  { bindAddress, port, takesOver = false }: WebrtcPlace,
  udp: Pick<Udp, "bind"> = udpByDeno,
): Promise<WebrtcSockets> {
  if (port === undefined) return ownSockets(bindAddress, udp);
  try {
    // Another process must not have it, which one that takes over would not notice.
    if (!takesOver) await (await udp.bind(bindAddress, port)).close();
    const options = { unsent: mediaLimits.sharedUnsentPackets, takesOver: true };
    return shared(bindAddress, await bindAt(udp, bindAddress, port, options));
  } catch (cause) {
    throw listenError({ hostname: bindAddress, port, name: "MEDIA_PORT" }, cause);
  }
}

/** A socket for each peer. */
export const ownSockets = (
  bindAddress: string,
  udp: Pick<Udp, "bind"> = udpByDeno,
): WebrtcSockets => ({
  bindAddress,
  async open() {
    try {
      return await bindAt(udp, bindAddress, 0);
    } catch (cause) {
      throw shortageOf(`Cannot bind media sockets to "${bindAddress}"`, cause);
    }
  },
  close: () => Promise.resolve(),
});

async function bindAt(
  { bind }: Pick<Udp, "bind">,
  address: string,
  port: number,
  options: BindOptions = {},
): Promise<WebrtcDatagrams> {
  // No name is looked up for it.
  if (isIP(address) === 0) throw new Error("it is not an IP address");
  const datagrams = await bind(address, port, options);
  if (isLoopback(address)) {
    return withMachineSocket(datagrams, address, (at, port) => bind(at, port, options));
  }
  return isIPv6(address) ? ofBothVersions(datagrams) : datagrams;
}

const MAPPED = "::ffff:";

/** A socket of IPv6, which meets IPv4 by mapped addresses (RFC 4291 §2.5.5.2), which stay within. */
function ofBothVersions(inner: Datagrams): Datagrams {
  const outer: Datagrams = {
    port: inner.port,
    onMessage: () => {},
    send: (bytes, { address, port }) =>
      inner.send(bytes, { address: isIPv4(address) ? MAPPED + address : address, port }),
    close: inner.close,
  };
  inner.onMessage = (bytes, { address, port }) => {
    const plain = address.startsWith(MAPPED) ? address.slice(MAPPED.length) : address;
    outer.onMessage(bytes, { address: plain, port });
  };
  return outer;
}

/** Peers of a shared socket. */
interface Guest {
  datagrams: WebrtcDatagrams;
  /** Addresses that it has sent to. */
  places: Set<string>;
}

/**
 * One socket for all peers. An ICE request names its peer by the ufrag. Other datagrams of an
 * address go to every peer that has sent there, rarely more than one, and each accepts only those
 * of its own.
 */
function shared(bindAddress: string, socket: WebrtcDatagrams): WebrtcSockets {
  const byName = new ShortLivedMap<string, Guest>();
  const byPlace = new ShortLivedMap<string, Set<Guest>>();
  let closed: Promise<void> | undefined;

  const forget = (guest: Guest, place: string) => {
    guest.places.delete(place);
    const guests = byPlace.get(place);
    guests?.delete(guest);
    if (guests?.size === 0) byPlace.delete(place);
  };
  const leave = (name: string, { places }: Guest) => {
    const guest = byName.get(name);
    if (guest?.places !== places) return;
    byName.delete(name);
    for (const place of places) forget(guest, place);
  };
  /** Checks of a peer's that come from anywhere are answered there, and none may be without end. */
  const visit = (guest: Guest, place: string) => {
    const [oldest] = guest.places;
    if (guest.places.size >= mediaLimits.peerPlaces) forget(guest, oldest!);
    guest.places.add(place);
    const guests = byPlace.get(place) ?? new Set();
    byPlace.set(place, guests.add(guest));
  };
  socket.onMessage = (bytes, from) => {
    const name = requestedName(bytes);
    if (name !== undefined) return byName.get(name)?.datagrams.onMessage(bytes, from);
    for (const { datagrams } of byPlace.get(placeOf(from)) ?? []) datagrams.onMessage(bytes, from);
  };

  return {
    bindAddress,
    open(name) {
      const guest: Guest = {
        datagrams: {
          port: socket.port,
          ...socket.machineAddress && { machineAddress: socket.machineAddress },
          onMessage: () => {},
          send(bytes, to) {
            if (!byName.has(name)) return;
            const place = placeOf(to);
            if (!guest.places.has(place)) visit(guest, place);
            socket.send(bytes, to);
          },
          close: () => Promise.resolve(leave(name, guest)),
        },
        places: new Set(),
      };
      byName.set(name, guest);
      return Promise.resolve(guest.datagrams);
    },
    close: () => closed ??= socket.close(),
  };
}

const placeOf = ({ address, port }: Address): string => `${address} ${port}`;

/** Our name in a request of ICE (RFC 8445 §7.2.2); undefined of all else. */
function requestedName(bytes: Uint8Array): string | undefined {
  if (bytes.length === 0 || bytes[0]! > 3) return undefined;
  const message = parseStun(bytes);
  if (message?.type !== "request") return undefined;
  return (message.username?.split(":")[0] ?? "").slice(0, NAME_CHARACTERS);
}
