import { type Context, Hono } from "hono";
import {
  conferenceParams,
  findParticipant,
  modifyConference,
  modifyParticipant,
  participantAliases,
  participantParams,
  removeParticipant,
} from "../../core/conferences/modify.ts";
import { Fault } from "../../core/base/faults.ts";
import type { Ports } from "../../core/model/ports/ports.ts";
import { conferences } from "../../core/model/resources/conferences.ts";
import { type Participant, participants } from "../../core/model/resources/participants.ts";
import { callShape, monitorRequest } from "./calls.ts";
import { monitorConference, monitorsOf } from "../../core/calls/monitor.ts";
import { making } from "../http/make_once.ts";
import { answer, answerJson } from "../http/answer.ts";
import type { Ctx, Env } from "../http/env.ts";
import { readParams } from "../http/params.ts";
import { accountAddress, shapeOf } from "../http/represent.ts";
import { answerSublist } from "../http/sublists.ts";

const listAddress = (accountSid: string, conferenceSid: string) =>
  `${accountAddress(accountSid)}/Conferences/${conferenceSid}/Participants`;

const conferenceShape = shapeOf(conferences);
export const participantShape = shapeOf(participants, (record) => {
  const { accountSid, conferenceSid, callSid } = record as Participant;
  return `${listAddress(accountSid, conferenceSid)}/${callSid}`;
});

const changes = ["POST", "PUT"];

/** The operations of Conferences beyond the regular ones: their end, and their participants. */
export function conferenceRoutes(ports: Ports): Hono<Env> {
  const { records } = ports;
  const named = (c: Ctx) => ({
    accountSid: c.var.account.sid,
    conferenceSid: c.req.param("sid") ?? "",
    callSid: c.req.param("call") ?? "",
  });
  const shown = (c: Ctx, found: Participant) => answer(c, participantShape.forms(found));

  return new Hono<Env>()
    .on(changes, "/:sid", async (c) => {
      const wanted = conferenceParams.parse(await readParams(c, { schema: conferenceParams }));
      const found = await modifyConference(named(c), wanted, ports);
      return answer(c, conferenceShape.forms(found));
    })
    .get("/:sid/Monitors", async (c) => {
      const { accountSid, conferenceSid: sid } = named(c);
      const found = await records.conferences.get(accountSid, sid);
      if (found === null) throw new Fault("notFound", sid);
      return answerJson(c, monitorsOf(found.monitors));
    })
    .post(
      "/:sid/Monitors",
      making(ports, async (c: Context<Env, "/:sid/Monitors">) => {
        const request = await monitorRequest(c, ports);
        const call = await monitorConference(c.req.param("sid"), request, ports);
        return answer(c, callShape.forms(call));
      }),
    )
    .get("/:sid/Participants", async (c) => {
      const { accountSid, conferenceSid: sid } = named(c);
      if (await records.conferences.get(accountSid, sid) === null) throw new Fault("notFound", sid);
      return await answerSublist(c, {
        definition: participants,
        shape: participantShape,
        records: records.participants,
        address: listAddress(accountSid, sid),
        of: { field: "conferenceSid", sid },
      }, ports);
    })
    .get("/:sid/Participants/:call", async (c) => {
      const found = await findParticipant(named(c), ports);
      if (found === null) throw new Fault("notFound", c.req.param("call"));
      return shown(c, found);
    })
    .on(changes, "/:sid/Participants/:call", async (c) => {
      const read = { schema: participantParams, aliases: participantAliases };
      const wanted = participantParams.parse(await readParams(c, read));
      return shown(c, await modifyParticipant(named(c), wanted, ports));
    })
    .delete("/:sid/Participants/:call", async (c) => {
      await removeParticipant(named(c), ports);
      return c.body(null, 204);
    });
}
