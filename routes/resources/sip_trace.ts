import type { Context } from "hono";
import { ladderOf, ladderText } from "../../core/calls/sip_ladder.ts";
import { sipPcap } from "../../core/calls/sip_pcap.ts";
import { Fault } from "../../core/base/faults.ts";
import type { Ports } from "../../core/model/ports/ports.ts";
import type { Trace } from "../../core/protocol/traces.ts";
import { answerJson, answerText } from "../http/answer.ts";
import type { Env } from "../http/env.ts";

/** Serves the SIP trace of a call as JSON, as a text, or as a pcap file. */
export function sipTrace(format: "json" | "pcap" | "txt", { records, sipTraces }: Ports) {
  return async (c: Context<Env, "/:sid">) => {
    const sid = c.req.param("sid");
    const accountSid = c.var.account.sid;
    const trace = await records.calls.get(accountSid, sid) === null
      ? null
      : await sipTraces.get({ accountSid, sid });
    if (trace === null) throw new Fault("notFound", `the SIP trace of ${sid}`);
    if (format === "pcap") {
      c.header("Content-Type", "application/vnd.tcpdump.pcap");
      c.header("Content-Disposition", `attachment; filename="${sid}.pcap"`);
      return c.body(sipPcap(trace));
    }
    if (format === "json") return answerJson(c, shown(sid, trace));
    c.header("Content-Type", "text/plain; charset=utf-8");
    return answerText(c, ladderText(trace), 200);
  };
}

/** A trace as JSON: the rows of its ladder, each with its message. */
const shown = (sid: string, trace: Trace) => ({
  call_sid: sid,
  dropped_messages: trace.dropped,
  messages: ladderOf(trace).map((
    { at, offsetMs: offset_ms, direction, transport, from, to, summary, text },
  ) => ({
    date_sent: new Date(at).toISOString(),
    offset_ms,
    direction,
    transport,
    from,
    to,
    summary,
    text,
  })),
});
