import { LIBC_PATHS } from "../../../core/base/libc_paths.ts";

/** The few functions of Linux's C library that UDP sockets need. */

/** A buffer is null only where a function allows it; what is -1 is an error. */
const FUNCTIONS = {
  socket: { parameters: ["i32", "i32", "i32"], result: "i32" },
  bind: { parameters: ["i32", "buffer", "u32"], result: "i32" },
  getsockname: { parameters: ["i32", "buffer", "buffer"], result: "i32" },
  getsockopt: { parameters: ["i32", "i32", "i32", "buffer", "buffer"], result: "i32" },
  setsockopt: { parameters: ["i32", "i32", "i32", "buffer", "u32"], result: "i32" },
  recvfrom: {
    parameters: ["i32", "buffer", "usize", "i32", "buffer", "buffer"],
    // Lengths asked for are much less than 2^31.
    result: "i32",
  },
  sendto: { parameters: ["i32", "buffer", "usize", "i32", "buffer", "u32"], result: "i32" },
  epoll_create1: { parameters: ["i32"], result: "i32" },
  epoll_ctl: { parameters: ["i32", "i32", "i32", "buffer"], result: "i32" },
  epoll_wait: { parameters: ["i32", "buffer", "i32", "i32"], result: "i32" },
  close: { parameters: ["i32"], result: "i32" },
} as const satisfies Deno.ForeignLibraryInterface;

export type Libc = Deno.DynamicLibrary<typeof FUNCTIONS>;

/** Numbers of the kernel's interface, the same for x86-64 and arm64. */
export const AF_INET = 2;
export const SOCK_DGRAM = 2;
export const SOCK_CLOEXEC = 0o2_000_000;
export const SOL_SOCKET = 1;
export const SO_REUSEADDR = 2;
export const SO_TYPE = 3;
export const SO_RCVBUF = 8;
export const MSG_DONTWAIT = 0x40;
export const EPOLL_CLOEXEC = 0o2_000_000;
export const EPOLL_CTL_ADD = 1;
export const EPOLLIN = 1;

/** `struct epoll_event` in words of 32 bits: its first is the events; x86-64 leaves out a gap. */
export const EVENT = Deno.build.arch === "x86_64" ? { words: 3, data: 1 } : { words: 4, data: 2 };

/** The library; undefined where it is not to be had, or where this process may not use it. */
export function openLibc(): Libc | undefined {
  if (Deno.build.os !== "linux") return undefined;
  for (const path of LIBC_PATHS) {
    // Requested first, so that Deno does not prompt at a terminal.
    if (Deno.permissions.querySync({ name: "ffi", path }).state !== "granted") continue;
    try {
      return Deno.dlopen(path, FUNCTIONS);
    } catch {
      // It is at another path, or of another system.
    }
  }
  return undefined;
}

export const NAME_BYTES = 16;

/** An address as `struct sockaddr_in` has it; undefined when it is none of IPv4. */
export function socketName(address: string, port: number): Uint8Array<ArrayBuffer> | undefined {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(address)?.slice(1).map(Number);
  if (parts === undefined || parts.some((part) => part > 255)) return undefined;
  const name = new Uint8Array(NAME_BYTES);
  name.set([AF_INET, 0, port >> 8, port & 0xff, ...parts]);
  return name;
}

/** The address in a `struct sockaddr_in`. */
export const addressIn = (name: Uint8Array): { address: string; port: number } => ({
  address: name.subarray(4, 8).join("."),
  port: (name[2]! << 8) | name[3]!,
});
