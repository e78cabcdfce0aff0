import { limits } from "../../../base/limits.ts";
import type { Part } from "../../../messages/join_parts.ts";
import { receiveMessage, senderOf } from "../../../messages/receive_message.ts";
import { takeReceipt } from "../../../messages/take_receipt.ts";
import type { Ports } from "../../../model/ports/ports.ts";
import { partOf, textOf } from "./content.ts";
import { errors, type Pdu } from "./library.ts";
import { carrierIdOf } from "./link.ts";
import { readReceipt } from "./receipt_text.ts";

const receiptMask = 0x3c;
const isReceipt = 0x04;

/**
 * Takes what a message center delivers (SMPP 3.4 §4.6): a text for a number, or the receipt of one
 * that it took. The status that it is answered with, when all is committed.
 */
export async function takeDelivery(
  pdu: Pdu,
  ports: Ports,
  { receiptPausesMs }: { receiptPausesMs: readonly number[] },
): Promise<number> {
  if (pdu.isBroken) return errors["ESME_RINVTLVLEN"]!; // As 3.4 has it: ESME_RINVPARLEN.
  const text = textOf(pdu);
  if (((pdu.esm_class ?? 0) & receiptMask) === isReceipt) {
    return await takeReceiptOf(pdu, text ?? "", { ports, receiptPausesMs });
  }
  if (text === null) return errors.ESME_RX_R_APPN; // It is no text.
  const to = pdu.destination_addr;
  if (!to) return errors["ESME_RINVDSTADR"]!;
  if (text === "") return 0; // Nothing to report.
  const isInternational = pdu.source_addr_ton === 1;
  const source = pdu.source_addr || "anonymous";
  const from = senderOf(isInternational ? source.replace(/^\+?/, "+") : source, ports);
  const arriving = { dialled: [to], gateway: null, from, body: text, ...partIn(pdu, text) };
  const taken = await receiveMessage(arriving, ports);
  if (taken !== "taken") ports.log("Refused a message: no account has the number", { to, taken });
  return taken === "taken" ? 0 : errors.ESME_RX_R_APPN;
}

/** One that is too long to wait with others is a text of its own. */
function partIn(pdu: Pdu, text: string): { part?: Part } {
  const part = partOf(pdu);
  return part === undefined || text.length > limits.partLength ? {} : { part };
}

async function takeReceiptOf(
  pdu: Pdu,
  text: string,
  { ports, receiptPausesMs }: { ports: Ports; receiptPausesMs: readonly number[] },
): Promise<number> {
  const { receipted_message_id: id, message_state: state } = pdu;
  const receipt = readReceipt(text, { id, state });
  if (receipt === null) {
    ports.log("Cannot parse a delivery receipt", { text: text.slice(0, 200) });
    return 0;
  }
  const { status, reason } = receipt;
  if (status === null) return 0;
  // The receipt may arrive before the message's id, of the carrier's answer, is committed.
  for (const ms of [0, ...receiptPausesMs]) {
    if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
    for (const carrierId of candidates(receipt.id).map(carrierIdOf)) {
      if (await takeReceipt({ carrierId, status, reason }, ports)) return 0;
    }
  }
  ports.log("Ignored a delivery receipt: no message has its id", { id: receipt.id });
  return 0;
}

/** Some message centers write an id in hex at first, and in decimals in the receipt, or so. */
function candidates(id: string): string[] {
  const forms = [id];
  if (/^\d{1,18}$/.test(id)) forms.push(BigInt(id).toString(16));
  if (/^[0-9a-f]{1,15}$/i.test(id)) forms.push(BigInt(`0x${id}`).toString());
  return forms;
}
