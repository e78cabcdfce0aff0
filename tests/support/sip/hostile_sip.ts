import assert from "node:assert/strict";
import { sipLimits } from "../../../sip/base/limits.ts";
import type { Connection, ReceiveLab } from "../service/receive_lab.ts";
import { branchOf, readSip, valueOf } from "./sip_text.ts";

/** Takes in one message and looks at what it costs and what it brings. */
export function receiveOne(lab: ReceiveLab, connection: Connection, text: string): void {
  const [sent, lookups] = [connection.sent.length, lab.lookups.length];

  connection.receive(text);

  const answers = connection.sent.slice(sent).filter((message) => isAnswer(message, text));
  const defect = defectOf(lab) ??
    (mustBeDropped(text) && answers.length > 0 ? "it was answered" : undefined) ??
    (answers.length > 2 ? "it was answered more than twice" : undefined) ??
    (answers.every(isWellFormed) ? undefined : "the answer is malformed") ??
    (lab.lookups.length > lookups + 1 ? "it made more than one look-up" : undefined);
  if (defect !== undefined) {
    assert.fail(`${defect}: ${JSON.stringify({ text, answers })}`);
  }
}

/**
 * Returns whether a message is a response to this text, and not relayed to the other side of a
 * call.
 */
function isAnswer(message: string, text: string): boolean {
  if (!message.startsWith("SIP/2.0 ")) return false;
  const response = readSip(message);
  return [branchOf(response), valueOf(response, "call-id")].some((id) =>
    id !== "" && text.includes(id)
  );
}

/** Log lines, but for SDP with no codec of ours, or none that both sides have. */
const defectOf = ({ logged }: ReceiveLab): string | undefined =>
  logged.splice(0).find((line) =>
    !/^Cannot (join two legs|process the answer to a call|process an SDP answer) .*no ?common ?codec/i
      .test(line)
  );

/** Responses, ACKs, and what is no SIP at all; line ends before a message mean nothing (§7.5). */
function mustBeDropped(text: string): boolean {
  const [first = ""] = text.replace(/^(?:\r\n)+/, "").split("\r\n", 1);
  return /^SIP\//i.test(first) || /^ACK /.test(first) || !/ SIP\/\d+\.\d+ *$/i.test(first);
}

/** Nothing of a request may begin a line of its own in an answer. */
function isWellFormed(answer: string): boolean {
  const [head = ""] = answer.split("\r\n\r\n", 1);
  const [start = "", ...headers] = head.split("\r\n");
  return /^SIP\/2\.0 [1-6]\d\d [^\r\n]*$/.test(start) &&
    headers.every((line) => /^[A-Za-z-]+: [^\r\n]*$/.test(line));
}

/** Asserts that nothing is left of a connection that is closed and whose timers have run out. */
export async function assertNothingKept(lab: ReceiveLab, connection: Connection): Promise<void> {
  await lab.time.settle();
  connection.close();
  for (let i = 0; i < 4; i++) {
    lab.time.advance(sipLimits.endedLegMs);
    await lab.time.settle();
  }
  const kept = Object.entries(lab.kept()).filter(([, count]) => count > 0);
  assert.deepEqual([defectOf(lab), kept], [undefined, []]);
}
