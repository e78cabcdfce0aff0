import assert from "node:assert/strict";
import { countMessage } from "../../../sip/base/count_message.ts";
import { sipRequests, sipResponses } from "../../../sip/base/metrics.ts";

async function counted(text: string) {
  sipRequests.reset();
  sipResponses.reset();
  countMessage("received", text);
  const series = [await sipRequests.get(), await sipResponses.get()].flatMap(({ values }) =>
    values
  );
  return series.filter(({ value }) => value > 0).map(({ labels }) => {
    const { method, code } = labels as { method: string; code?: string };
    return [method, code];
  });
}

const texts: [text: string, method: string, code?: string][] = [
  ["INVITE sip:a@b SIP/2.0\r\nCSeq: 1 INVITE\r\n\r\n", "INVITE"],
  ["SIP/2.0 180 Ringing\r\nVia: x\r\nCSeq: 1 INVITE\r\n\r\n", "INVITE", "180"],
  ["sip/2.0 200 OK\r\ncseq \t:  7\tBYE\r\n\r\n", "BYE", "200"],
  ["BREW sip:pot@b SIP/2.0\r\n\r\n", "other"],
  ["SIP/2.0 200 OK\r\nCSeq: 1 BREW\r\n\r\n", "other", "200"],
  ["SIP/2.0 999 What\r\n\r\n", "other", "other"],
  ["", "other"],
];

Deno.test("countMessage() counts by method and status, and what peers make up as other", async () => {
  for (const [text, method, code] of texts) {
    assert.deepEqual(await counted(text), [[method, code]], JSON.stringify(text));
  }
});
