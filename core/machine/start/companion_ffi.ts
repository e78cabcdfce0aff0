/**
 * Permission of the companion to call the C library for UDP. `--allow-ffi=libc.so.6` is a shell: `system`
 * is in the library, and any function that writes to a buffer writes to any address. The companion has
 * some thirty packages, reads bytes of unauthenticated senders, and could read `secret_key`.
 *
 * Deno's sockets alone cost, in % of a core a leg: a join 0.122 in place of 0.080, Play 0.150 in place of
 * 0.092, Play and Record 0.198 in place of 0.155 (80 legs of plain RTP); a join of WebRTC 0.189 in place
 * of 0.151. A library of our own with four functions needs a compiler for each machine, and is no less a
 * shell.
 */
import type { Config } from "../configuration/config.ts";

/**
 * Decides whether the companion gets the C library. Whoever has its code run anything, such as a package
 * that was tampered with, then has all rights of its Unix user: any function of the library can be
 * called, `system` among them, and buffers are addresses. So `auto` gives it only where that user has no
 * secret of the service: at a companion that is started without the service, as on a machine of its own.
 */
export function companionHasFfi(
  { RTP_FFI, DATA_DIR }: Pick<Config, "RTP_FFI" | "DATA_DIR">,
  { hasService, given, canRead = isReadable }: {
    /** True where the same supervisor starts the service. */
    hasService: boolean;
    /** The environment of the supervisor, which processes of its user can read. */
    given: Readonly<Record<string, string>>;
    canRead?: (path: string) => boolean;
  },
): boolean {
  if (RTP_FFI !== "auto") return RTP_FFI === "true";
  return !hasService && !given.SECRET_KEY && !canRead(`${DATA_DIR}/secret_key`);
}

/** Of a path that is not there, none is. */
function isReadable(path: string): boolean {
  try {
    Deno.openSync(path).close();
    return true;
  } catch {
    return false;
  }
}
