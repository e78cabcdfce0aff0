import { limits } from "../../../base/limits.ts";
import type { Part } from "../../../messages/join_parts.ts";
import { alphabets, type Content, type Pdu } from "./library.ts";

/** Content of a deliver_sm: message_payload where short_message is empty (SMPP 3.4 §5.3.2.32). */
const contentOf = ({ message_payload, short_message }: Pdu): Content | undefined =>
  message_payload?.message?.length ? message_payload : short_message;

/** The text of a deliver_sm, empty where it has none; null where its octets are no text. */
export function textOf(pdu: Pdu): string | null {
  const { message = "" } = contentOf(pdu) ?? {};
  if (typeof message === "string" || message.length === 0) return String(message);
  return decoders[alphabetOf(pdu.data_coding ?? 0)]?.(message) ?? null;
}

type AlphabetName = "gsm" | "ucs2" | "ia5" | "latin1" | "cyrillic" | "hebrew" | "none";

const decodedAs = (label: string) => (octets: Uint8Array) => new TextDecoder(label).decode(octets);

const decoders: { [N in AlphabetName]?: (octets: Uint8Array) => string } = {
  // An escape that begins no known character is passed over (3GPP TS 23.038 §6.2.1.1).
  gsm: (octets) => String(alphabets.gsm.decode(octets)).replaceAll("\x1b", ""),
  ucs2: decodedAs("utf-16be"),
  ia5: decodedAs("latin1"),
  latin1: decodedAs("latin1"),
  cyrillic: decodedAs("iso-8859-5"),
  hebrew: decodedAs("iso-8859-8"),
};

const named: Record<number, AlphabetName> = {
  0: "gsm",
  1: "ia5",
  3: "latin1",
  6: "cyrillic",
  7: "hebrew",
  8: "ucs2",
};

/** Alphabet of a data_coding (SMPP 3.4 §5.2.19), and beyond it 3GPP TS 23.038 §4. */
function alphabetOf(coding: number): AlphabetName {
  if (coding < 0x10) return named[coding] ?? "none";
  if (coding >= 0xf0) return (coding & 4) === 0 ? "gsm" : "none"; // With a class: text or data.
  if (coding >= 0xe0) return "ucs2"; // Message waiting.
  if (coding >= 0xc0) return "gsm"; // The same.
  return coding < 0x40 ? general[(coding >> 2) & 3]! : "none";
}

const general: AlphabetName[] = ["gsm", "none", "ucs2", "none"];

/**
 * The part of a text that a deliver_sm is, by its header or its sar_ parameters; undefined for a whole
 * text.
 */
export function partOf(pdu: Pdu): Part | undefined {
  const { sar_msg_ref_num: reference, sar_total_segments: total, sar_segment_seqnum: at } = pdu;
  const found = (contentOf(pdu)?.udh ?? []).map(concatenation).find((one) => one !== undefined) ??
    (reference !== undefined && total !== undefined && at !== undefined
      ? { reference: `sar ${reference}`, total, at }
      : undefined);
  if (found === undefined || found.at < 1 || found.at > found.total) return undefined;
  return found.total > 1 && found.total <= limits.textParts ? found : undefined;
}

/** The element with an 8-bit or a 16-bit reference (3GPP TS 23.040 §9.2.3.24.1, §9.2.3.24.8). */
function concatenation(element: Uint8Array): Part | undefined {
  const [identifier, length, ...data] = element;
  if (data.length !== length) return undefined;
  // The element has as many octets as its length says.
  if (identifier === 0 && length === 3) {
    return { reference: `8 ${data[0]}`, total: data[1]!, at: data[2]! };
  }
  if (identifier === 8 && length === 4) {
    // Four octets, by the check above.
    return { reference: `16 ${data[0]! << 8 | data[1]!}`, total: data[2]!, at: data[3]! };
  }
  return undefined;
}
