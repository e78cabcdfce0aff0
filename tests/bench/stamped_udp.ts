import { LIBC_PATHS } from "../../core/base/libc_paths.ts";
import { openLibc } from "../../sip/media/rtp/libc.ts";
import { polledUdp } from "../../sip/media/rtp/polled_udp.ts";
import type { Udp } from "../../sip/media/rtp/rtp_sockets.ts";

const FUNCTIONS = {
  clock_gettime: { parameters: ["i32", "buffer"], result: "i32" },
  ioctl: { parameters: ["i32", "usize", "buffer"], result: "i32" },
} as const;

const CLOCK_REALTIME = 0;
/** Asks when the packet that was read last came to its socket, as a `struct timespec`. */
const SIOCGSTAMPNS = 0x8907n;

export interface StampedUdp extends Udp {
  /**
   * Arrival of the packet that was handed on last at its socket, by `performance.now()`. The kernel
   * stamps it as it takes the packet from the network, so that a busy receiver does not count.
   */
  arrivedAt(): number;
}

/** Sockets that stamp the arrival of their packets. */
export function stampedUdp(): StampedUdp {
  const libc = openLibc();
  if (libc === undefined) throw new Error("Cannot tell when packets come: there is no C library");
  const { symbols: { clock_gettime, ioctl } } = openClock();
  const time = new BigInt64Array(2);
  const bytes = new Uint8Array(time.buffer);
  const timeMs = () => Number(time[0]!) * 1_000 + Number(time[1]!) / 1e6;
  clock_gettime(CLOCK_REALTIME, bytes);
  const origin = timeMs() - performance.now();
  let arrivedAt = 0;

  const recvfrom: typeof libc.symbols.recvfrom = (fd, ...args) => {
    const length = libc.symbols.recvfrom(fd, ...args);
    // From the first time on the system notes it; that one it has not.
    const isKnown = ioctl(fd, SIOCGSTAMPNS, bytes) === 0;
    arrivedAt = isKnown ? timeMs() - origin : performance.now();
    return length;
  };
  const udp = polledUdp({ symbols: { ...libc.symbols, recvfrom }, close: () => libc.close() });
  if (udp === undefined) throw new Error("Cannot open sockets by the C library");
  return { ...udp, arrivedAt: () => arrivedAt };
}

function openClock() {
  for (const path of LIBC_PATHS) {
    try {
      return Deno.dlopen(path, FUNCTIONS);
    } catch {
      // It is at another path.
    }
  }
  throw new Error("Cannot tell when packets come: there is no C library");
}
