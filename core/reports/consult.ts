import { z } from "zod";
import type { LegEvent } from "../protocol/events.ts";
import type { Script } from "../protocol/script.ts";
import { enterConference } from "../conferences/enter.ts";
import { conferenceWanted } from "../values/conference_wanted.ts";
import { dequeueCall } from "../queues/dequeue.ts";
import { dequeueWanted } from "../values/queue_wanted.ts";
import { enqueueCall } from "../queues/enqueue.ts";
import { enqueueWanted } from "../values/queue_wanted.ts";
import type { Asking } from "../documents/next_script.ts";

const anyWanted = z.discriminatedUnion("kind", [conferenceWanted, enqueueWanted, dequeueWanted]);

/** The steps that a `consult` stands for, now that its turn has come. */
export async function consultScript(
  { memo, action }: LegEvent & { type: "consulting" },
  asking: Asking,
): Promise<Script> {
  const wanted = anyWanted.parse(memo);
  switch (wanted.kind) {
    case "conference":
      return await enterConference(wanted, action, asking);
    case "enqueue":
      return await enqueueCall(wanted, action, asking);
    case "dequeue":
      return await dequeueCall(wanted, action, asking);
  }
}
