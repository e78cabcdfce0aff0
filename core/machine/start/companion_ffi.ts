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
