/**
 * Multipart bodies (RFC 5621). Carriers send ISUP or a location along with SDP, so the SDP of such a body
 * is used. Another part with `handling=required` has the INVITE refused with 415.
 */
import type { IncomingMessage } from "../base/sip_js.ts";
import { sipLimits } from "../base/limits.ts";

/** One part of a body; the whole of one that has no parts. */
export interface BodyPart {
  contentType: string;
  content: string;
  /** Content-Disposition, empty without one. */
  disposition: string;
}

const sdpType = "application/sdp";

/** A media type without its parameters, in lower case. */
export const typeOf = (contentType: string): string =>
  contentType.split(";")[0]!.trim().toLowerCase();

/** The parts of a multipart body (RFC 2046 §5.1); one that is none is its only part. */
export function partsOf(
  { contentType, content }: Pick<BodyPart, "contentType" | "content">,
): BodyPart[] {
  if (!typeOf(contentType).startsWith("multipart/")) {
    return [{ contentType, content, disposition: "" }];
  }
  const boundary = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType);
  const mark = boundary?.[1] ?? boundary?.[2];
  if (mark === undefined) return [];
  const [, ...parts] = `\r\n${content}`.split(`\r\n--${mark}`);
  return parts.filter((part) => !part.startsWith("--")).slice(0, sipLimits.bodyParts)
    .map((part) => {
      const end = part.indexOf("\r\n\r\n");
      const head = end < 0 ? "" : part.slice(0, end);
      const header = (name: string) =>
        new RegExp(`^${name}[ \\t]*:[ \\t]*(.*)$`, "im").exec(head)?.[1]?.trim() ?? "";
      return {
        contentType: header("content-type"),
        content: end < 0 ? "" : part.slice(end + 4),
        disposition: header("content-disposition"),
      };
    });
}

/**
 * Puts the SDP of a multipart body in its place (RFC 5621 §3): what a carrier says beside it, such as
 * ISUP or a location, is not for us. Not where it is (`leaves` a type alone), or must be understood.
 */
export function unwrapSdp(message: IncomingMessage, leaves: string): void {
  const contentType = message.getHeader("content-type");
  if (contentType === undefined || !/^\s*multipart\//i.test(contentType)) return;
  const parts = partsOf({ contentType, content: message.body });
  const [sdp, ...more] = parts.filter((part) => typeOf(part.contentType) === sdpType);
  const others = parts.filter((part) => part !== sdp);
  const isNeeded = ({ contentType, disposition }: BodyPart) =>
    typeOf(contentType) === leaves || /;\s*handling\s*=\s*required\b/i.test(disposition);
  if (sdp === undefined || more.length > 0 || others.some(isNeeded)) return;
  message.body = sdp.content;
  message.headers["Content-Type"] = [{ raw: sdpType, parsed: sdpType }];
}
