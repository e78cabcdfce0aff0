import { exponential } from "../model/job.ts";
import { handler, type JobHandler } from "../model/ports/job_handler.ts";
import { endUnheardStream } from "./create_stream.ts";
import { endUnheard } from "./stream_events.ts";

/** Performs `endUnheardStream`. */
export const unheardStreamHandler: JobHandler<Parameters<typeof endUnheardStream>[0]> = handler(
  endUnheardStream,
  {
    maxAttempts: 12,
    retryMs: exponential(1_000, 60_000),

    async work({ accountSid, streamSid: sid }, ports) {
      const stream = await ports.records.streams.get(accountSid, sid);
      if (stream === null || stream.status === "stopped" || stream.reports > 0) return;
      const call = await ports.records.calls.get(accountSid, stream.callSid);
      if (call === null) return;
      if (call.companion !== null) {
        // It may run all the same: its reports after the end change nothing.
        const order = { type: "stop", sid } as const;
        await ports.control.stream({ leg: call.sid, order }, call.companion);
      }
      await endUnheard(call, sid, ports);
    },
  },
);
