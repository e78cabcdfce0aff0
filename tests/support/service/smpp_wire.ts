/**
 * The octets of SMPP, written by hand from the specification (SMPP Protocol Specification v3.4) and
 * 3GPP TS 23.038, so that what the product's library has wrong is seen.
 */

/** §5.1.2.1. */
const commandIds = {
  generic_nack: 0x80000000,
  submit_sm: 0x00000004,
  submit_sm_resp: 0x80000004,
  deliver_sm: 0x00000005,
  deliver_sm_resp: 0x80000005,
  unbind: 0x00000006,
  unbind_resp: 0x80000006,
  bind_transceiver: 0x00000009,
  bind_transceiver_resp: 0x80000009,
  enquire_link: 0x00000015,
  enquire_link_resp: 0x80000015,
} as const;

export type Command = keyof typeof commandIds;

const nameOf = (id: number): Command | undefined =>
  (Object.keys(commandIds) as Command[]).find((name) => commandIds[name] === id);

/** A PDU as it came: its header (§3.2) and the rest. */
export interface RawPdu {
  command: Command;
  status: number;
  sequence: number;
  body: Uint8Array;
}

const header = 16;

/** Cuts PDUs out of what a connection brings. Throws for one that the specification does not know. */
export function createPduFramer(): (chunk: Uint8Array) => RawPdu[] {
  let rest = new Uint8Array();
  return (chunk) => {
    rest = Uint8Array.from([...rest, ...chunk]);
    const found: RawPdu[] = [];
    for (;;) {
      if (rest.length < 4) return found;
      const view = new DataView(rest.buffer);
      const length = view.getUint32(0);
      if (length < header) throw new Error(`A PDU of ${length} octets came`);
      if (rest.length < length) return found;
      const [id, status, sequence] = [4, 8, 12].map((at) => view.getUint32(at));
      const command = nameOf(id!);
      if (command === undefined) throw new Error(`The command_id 0x${id!.toString(16)} came`);
      const body = rest.slice(header, length);
      found.push({ command, status: status!, sequence: sequence!, body });
      rest = rest.slice(length);
    }
  };
}

const uint32 = (value: number) => [24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff);
const uint16 = (value: number) => [value >> 8, value & 0xff];
const ascii = (text: string) => [...new TextEncoder().encode(text)];

/** A C-octet string (§3.1). */
export const cString = (text: string): number[] => [...ascii(text), 0];

/** The octets of a PDU. */
export function pduOf(
  command: Command,
  { status = 0, sequence, body = [] }: { status?: number; sequence: number; body?: number[] },
): Uint8Array<ArrayBuffer> {
  const words = [header + body.length, commandIds[command], status, sequence];
  return Uint8Array.from([...words.flatMap(uint32), ...body]);
}

/** A PDU's mandatory parameters, one after the other, then its optional ones. */
function reader(body: Uint8Array) {
  let at = 0;
  const take = (count: number) => {
    if (at + count > body.length) throw new Error("A PDU ends within a parameter");
    return body.subarray(at, at += count);
  };
  return {
    int: () => take(1)[0]!,
    octets: take,
    text(most: number) {
      const end = body.indexOf(0, at);
      if (end < 0) throw new Error("A C-octet string has no end");
      const octets = take(end + 1 - at);
      if (octets.length > most) throw new Error(`A C-octet string has over ${most} octets`);
      return new TextDecoder().decode(octets.subarray(0, -1));
    },
    /** §5.3.1: tag, length, value. */
    optional() {
      const found = new Map<number, Uint8Array>();
      while (at < body.length) {
        const [tag, length] = [take(2), take(2)].map((two) => two[0]! << 8 | two[1]!);
        found.set(tag!, take(length!));
      }
      return found;
    },
  };
}

/** §4.1.5; the lengths are those of the table, with the octet at the end. */
export function readBind(body: Uint8Array) {
  const { text, int } = reader(body);
  return {
    system_id: text(16),
    password: text(9),
    system_type: text(13),
    interface_version: int(),
    addr_ton: int(),
    addr_npi: int(),
    address_range: text(41),
  };
}

/** §4.4.1. */
export function readSubmit(body: Uint8Array) {
  const { text, int, octets, optional } = reader(body);
  const fields = {
    service_type: text(6),
    source_addr_ton: int(),
    source_addr_npi: int(),
    source_addr: text(21),
    dest_addr_ton: int(),
    dest_addr_npi: int(),
    destination_addr: text(21),
    esm_class: int(),
    protocol_id: int(),
    priority_flag: int(),
    schedule_delivery_time: text(17),
    validity_period: text(17),
    registered_delivery: int(),
    replace_if_present_flag: int(),
    data_coding: int(),
    sm_default_msg_id: int(),
  };
  const content = octets(int());
  if (content.length > 254) throw new Error("A short_message has over 254 octets");
  const udhLength = (fields.esm_class & 0x40) === 0 ? 0 : content[0]! + 1;
  const short_message = content.subarray(udhLength);
  return {
    ...fields,
    /** The header after its length. */
    udh: content.subarray(1, udhLength),
    short_message,
    text: fields.data_coding === 8 ? fromUcs2(short_message) : fromGsm(short_message),
    optional: optional(),
  };
}

export type Submitted = ReturnType<typeof readSubmit>;

/** Fields of a deliver_sm (§4.6.1); the others have the null values of the specification. */
export interface Delivered {
  source_addr?: string;
  source_addr_ton?: number;
  destination_addr?: string;
  esm_class?: number;
  data_coding?: number;
  /** A text is written as data_coding says. */
  short_message?: string | number[];
  /** Elements of a header, without its length; esm_class announces them. */
  udh?: number[];
  message_payload?: string;
  receipted_message_id?: string;
  message_state?: number;
  /** sar_msg_ref_num, sar_total_segments, sar_segment_seqnum. */
  sar?: [reference: number, total: number, at: number];
}

export function writeDelivery(sent: Delivered): number[] {
  const { udh, data_coding = 0, esm_class = 0, short_message = "", sar } = sent;
  const octets = typeof short_message === "string"
    ? octetsOf(short_message, data_coding)
    : short_message;
  const content = [...udh === undefined ? [] : [udh.length, ...udh], ...octets];
  if (content.length > 254) throw new Error("A short_message has over 254 octets");
  const { source_addr = "", source_addr_ton = 0, destination_addr = "" } = sent;
  return [
    ...cString(""),
    ...[source_addr_ton, 1, ...cString(source_addr)],
    ...[1, 1, ...cString(destination_addr)],
    ...[udh === undefined ? esm_class : esm_class | 0x40, 0, 0],
    ...[...cString(""), ...cString("")],
    ...[0, 0, data_coding, 0],
    ...[content.length, ...content],
    ...optional(0x0424, sent.message_payload, (text) => octetsOf(text, data_coding)),
    ...optional(0x001e, sent.receipted_message_id, cString),
    ...optional(0x0427, sent.message_state, (state) => [state]),
    ...optional(0x020c, sar?.[0], uint16),
    ...optional(0x020e, sar?.[1], (total) => [total]),
    ...optional(0x020f, sar?.[2], (at) => [at]),
  ];
}

function optional<T>(tag: number, value: T | undefined, write: (value: T) => number[]): number[] {
  if (value === undefined) return [];
  const octets = write(value);
  return [...uint16(tag), ...uint16(octets.length), ...octets];
}

/** 3GPP TS 23.038 §6.2.1 and §6.2.1.1. */
const basic = "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\x1bÆæßÉ" + " !\"#¤%&'()*+,-./0123456789:;<=>?" +
  "¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§" + "¿abcdefghijklmnopqrstuvwxyzäöñüà";
const extended: Record<string, number> = {
  "\f": 0x0a,
  "^": 0x14,
  "{": 0x28,
  "}": 0x29,
  "\\": 0x2f,
  "[": 0x3c,
  "~": 0x3d,
  "]": 0x3e,
  "|": 0x40,
  "€": 0x65,
};

/** One octet a character, as short_message has them. */
function toGsm(text: string): number[] {
  return [...text].flatMap((character) => {
    const at = basic.indexOf(character);
    if (at >= 0) return [at];
    const escaped = extended[character];
    if (escaped === undefined) throw new Error(`GSM 03.38 has no "${character}"`);
    return [0x1b, escaped];
  });
}

function fromGsm(octets: Uint8Array): string {
  let text = "";
  for (let at = 0; at < octets.length; at++) {
    const octet = octets[at]!;
    if (octet > 0x7f) throw new Error(`GSM 03.38 has no 0x${octet.toString(16)}`);
    if (octet !== 0x1b) text += basic[octet];
    else {
      const escaped = octets[++at];
      const [character] = Object.entries(extended).find(([, one]) => one === escaped) ?? [];
      if (character === undefined) throw new Error(`GSM 03.38 has no escaped ${escaped}`);
      text += character;
    }
  }
  return text;
}

const toUcs2 = (text: string) =>
  Array.from({ length: text.length }, (_, at) => uint16(text.charCodeAt(at))).flat();

function fromUcs2(octets: Uint8Array): string {
  if (octets.length % 2 !== 0) throw new Error("A text in UCS-2 has half a character");
  let text = "";
  for (let at = 0; at < octets.length; at += 2) {
    text += String.fromCharCode(octets[at]! << 8 | octets[at + 1]!);
  }
  return text;
}

/** Of a text in the alphabet of a data_coding (§5.2.19). */
function octetsOf(text: string, coding: number): number[] {
  if (coding === 8) return toUcs2(text);
  return coding === 1 || coding === 3 ? [...text].map((one) => one.charCodeAt(0)) : toGsm(text);
}
