import { Hono } from "hono";
import { Fault } from "../core/faults.ts";
import type { Ports } from "../core/ports.ts";
import { type Participant, participants, participantSid } from "../core/resources/participants.ts";
import { answer } from "./answer.ts";
import type { Env } from "./env.ts";
import { accountAddress, shapeOf } from "./represent.ts";
import { answerSublist } from "./sublists.ts";

const listAddress = (accountSid: string, conferenceSid: string) =>
  `${accountAddress(accountSid)}/Conferences/${conferenceSid}/Participants`;

const shape = shapeOf(participants, (record) => {
  const { accountSid, conferenceSid, callSid } = record as Participant;
  return `${listAddress(accountSid, conferenceSid)}/${callSid}`;
});

/** What Conferences have beyond the regular operations: the legs in them, named by their calls. */
export function conferenceRoutes(ports: Ports): Hono<Env> {
  const { records } = ports;
  return new Hono<Env>()
    .get("/:sid/Participants", async (c) => {
      const accountSid = c.var.account.sid;
      const sid = c.req.param("sid");
      if (await records.conferences.get(accountSid, sid) === null) throw new Fault("notFound", sid);
      return await answerSublist(c, {
        definition: participants,
        shape,
        records: records.participants,
        address: listAddress(accountSid, sid),
        of: { field: "conferenceSid", sid },
      }, ports);
    })
    .get("/:sid/Participants/:call", async (c) => {
      const { sid, call } = c.req.param();
      const isCall = call.startsWith("CA");
      const found = isCall &&
        await records.participants.get(c.var.account.sid, participantSid(call));
      if (!found || found.conferenceSid !== sid) throw new Fault("notFound", call);
      return answer(c, { json: () => shape.json(found), xml: () => shape.xml(found) });
    });
}
