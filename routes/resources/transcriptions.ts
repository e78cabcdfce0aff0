import { type Context, Hono } from "hono";
import { Fault } from "../../core/base/faults.ts";
import type { Ports } from "../../core/model/ports/ports.ts";
import { transcriptions } from "../../core/model/resources/transcriptions.ts";
import { transcribe, transcribeParameters } from "../../core/recordings/transcribe.ts";
import { answer } from "../http/answer.ts";
import type { Env } from "../http/env.ts";
import { keeping, making } from "../http/make_once.ts";
import { readParams } from "../http/params.ts";
import { accountAddress, shapeOf } from "../http/represent.ts";
import { answerSublist } from "../http/sublists.ts";

const shape = shapeOf(
  transcriptions,
  ({ accountSid, sid }) => `${accountAddress(accountSid)}/${transcriptions.path}/${sid}`,
);

/** The transcriptions below one recording: list and create. */
export function recordingTranscriptionRoutes({ records, ...ports }: Ports): Hono<Env> {
  const recordingOf = async (accountSid: string, sid: string) => {
    const recording = await records.recordings.get(accountSid, sid);
    if (recording === null) throw new Fault("notFound", sid);
    return recording;
  };
  return new Hono<Env>()
    .get("/:sid/Transcriptions", async (c) => {
      const recording = await recordingOf(c.var.account.sid, c.req.param("sid"));
      const { accountSid, sid } = recording;
      return await answerSublist(c, {
        definition: transcriptions,
        shape,
        records: records.transcriptions,
        address: `${accountAddress(accountSid)}/Recordings/${sid}/Transcriptions`,
        of: { field: "recordingSid", sid },
      }, { records, ...ports });
    })
    .post(
      "/:sid/Transcriptions",
      making({ records, ...ports }, async (c: Context<Env, "/:sid">) => {
        const recording = await recordingOf(c.var.account.sid, c.req.param("sid"));
        if (recording.status === "in-progress") {
          throw new Fault(
            "notTranscribed",
            "the recording is in progress; wait until its Status is completed",
          );
        }
        const wanted = transcribeParameters.schema.parse(await readParams(c, transcribeParameters));
        const { transcribeCallback: url, transcribeCallbackMethod: method = "POST" } = wanted;
        const callback = url === undefined ? null : { url, method };
        const { language } = wanted;
        const options = { callback, ...language && { language } };
        const into = keeping(c, records.transcriptions, shape, {
          records,
          ...ports,
        });
        return answer(c, shape.forms(await into.insert(transcribe(recording, options, ports))));
      }),
    );
}
