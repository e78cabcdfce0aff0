import { sipLimits } from "./limits.ts";

/** The body of an INFO, as it came. */
export interface Content {
  contentType: string;
  content: string;
}

/** Takes the body of an INFO, and says the status to answer; undefined for one that is not its own. */
export type TakeContent = (content: Content) => number | undefined;

/** The content type of INFO between companions. */
export const companionType = "application/vnd.switchboard+json";

/** Bodies that carry a digit; what other INFO there is has no meaning to us. */
export const digitTypes = ["application/dtmf-relay", "application/dtmf"];

/**
 * The digit of an INFO, as softphones send it in place of RFC 4733: `Signal=5` in a dtmf-relay body,
 * the digit alone in the other. Undefined when the body holds none.
 */
export function digitOf({ contentType, content }: Content): string | undefined {
  if (content.length > sipLimits.infoLength) return undefined;
  const type = contentType.split(";")[0]?.trim().toLowerCase();
  const text = type === "application/dtmf-relay"
    ? /^[ \t]*Signal[ \t]*=[ \t]*(\S{1,2})[ \t]*$/im.exec(content)?.[1]
    : content.trim();
  return digitNamed(text?.toUpperCase() ?? "");
}

/** 10 and 11 are how some softphones write the star and the hash key (their RFC 4733 events). */
function digitNamed(text: string): string | undefined {
  if (/^[0-9A-D*#]$/.test(text)) return text;
  return text === "10" ? "*" : text === "11" ? "#" : undefined;
}
