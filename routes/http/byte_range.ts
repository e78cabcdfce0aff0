import type { ByteRange } from "../../core/model/ports/providers.ts";

/**
 * The range of a Range header in `size` bytes (RFC 9110 §14.2). Null means all bytes, also for
 * several ranges and for an invalid header; `unsatisfiable` a range that begins behind the end.
 */
export function byteRange(
  header: string | undefined,
  size: number,
): ByteRange | null | "unsatisfiable" {
  const [, first = "", last = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(header?.trim() ?? "") ??
    [];
  if (first === "") {
    if (last === "") return null;
    return Number(last) === 0 || size === 0
      ? "unsatisfiable"
      : { start: Math.max(0, size - Number(last)), end: size };
  }
  if (last !== "" && Number(last) < Number(first)) return null;
  if (Number(first) >= size) return "unsatisfiable";
  return {
    start: Number(first),
    end: last === "" ? size : Math.min(Number(last) + 1, size),
  };
}
