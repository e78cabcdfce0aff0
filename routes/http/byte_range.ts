import type { ByteRange } from "../../core/ports/providers.ts";

/**
 * What a Range header asks for of so many bytes (RFC 9110 §14.2): null for all of them, as where it
 * asks for several ranges or is not understood; `unsatisfiable` where it begins behind the end.
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
