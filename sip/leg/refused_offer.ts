import { eventLimits } from "../../core/protocol/events.ts";

/** Describes the offer that a phone or trunk refused, and the reason that it gave. */
export function refusedOffer(
  { status, warning, offer }: { status: number; warning: string | undefined; offer: string },
): string {
  const says = warning === undefined ? "" : `, and says: ${warning}`;
  const text = `it refused the offer (${offerInWords(offer)}) with ${status}${says}`;
  return text.slice(0, eventLimits.endDetailLength);
}

/** Transport, codecs and address family of an offer. */
function offerInWords(sdp: string): string {
  const [, transport = "no audio", formats = ""] = /^m=audio \d+ (\S+) ([\d ]+)/m.exec(sdp) ?? [];
  const names = new Map([["0", "PCMU"], ["8", "PCMA"]]);
  for (const [, format = "", name = ""] of sdp.matchAll(/^a=rtpmap:(\d+) ([^/\s]+)/gm)) {
    names.set(format, name);
  }
  const codecs = formats.split(" ").flatMap((format) => names.get(format) ?? [])
    .filter((name) => name.toLowerCase() !== "telephone-event");
  const family = /^c=IN (IP[46])/m.exec(sdp)?.[1] ?? "";
  return [transport, codecs.join(" "), family].filter((part) => part !== "").join(", ");
}
