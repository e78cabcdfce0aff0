import { type Context, Hono } from "hono";
import { Fault } from "../../core/base/faults.ts";
import type { Ports } from "../../core/model/ports/ports.ts";
import { streams } from "../../core/model/resources/streams.ts";
import {
  findStream,
  startParameters,
  startStream,
  stopParams,
  stopStream,
} from "../../core/streams/request_stream.ts";
import { answer } from "../http/answer.ts";
import type { Ctx, Env } from "../http/env.ts";
import { keepingPorts, making } from "../http/make_once.ts";
import { readParams } from "../http/params.ts";
import { accountAddress, shapeOf } from "../http/represent.ts";
import { answerSublist } from "../http/sublists.ts";

const shape = shapeOf(streams);

/** The audio streams of one call: below `/Calls`. */
export function streamRoutes(ports: Ports): Hono<Env> {
  const { records } = ports;
  const named = (c: Ctx) => ({
    accountSid: c.var.account.sid,
    callSid: c.req.param("sid") ?? "",
    stream: c.req.param("stream") ?? "",
  });
  const shown = (c: Ctx, found: Parameters<typeof shape.json>[0]) => answer(c, shape.forms(found));
  return new Hono<Env>()
    .get("/:sid/Streams", async (c) => {
      const { accountSid, callSid: sid } = named(c);
      if (await records.calls.get(accountSid, sid) === null) throw new Fault("notFound", sid);
      const address = `${accountAddress(accountSid)}/Calls/${sid}/${streams.path}`;
      const of = { field: "callSid", sid };
      const source = { definition: streams, shape, records: records.streams, address, of };
      return await answerSublist(c, source, ports);
    })
    .post(
      "/:sid/Streams",
      making(ports, async (c: Context<Env, "/:sid/Streams">) => {
        const sent = await readParams(c, startParameters);
        return shown(c, await startStream(named(c), sent, keepingPorts(c, ports, shape)));
      }),
    )
    .get("/:sid/Streams/:stream", async (c) => {
      const found = await findStream(named(c), ports);
      if (found === null) throw new Fault("notFound", c.req.param("stream"));
      return shown(c, found);
    })
    .on(["POST", "PUT"], "/:sid/Streams/:stream", async (c) => {
      await readParams(c, { schema: stopParams });
      return shown(c, await stopStream(named(c), ports));
    });
}
