import { z } from "zod";
import type { LegEvent } from "../protocol/events.ts";
import type { Script } from "../protocol/script.ts";
import { enterConference } from "../conferences/enter.ts";
import { conferenceOptions } from "../model/values/conference_options.ts";
import { dequeueCall } from "../conferences/dequeue.ts";
import { dequeueOptions } from "../model/values/queue_options.ts";
import { enqueueCall } from "../conferences/enqueue.ts";
import { enqueueOptions } from "../model/values/queue_options.ts";
import { conversationOptions, streamOptions } from "../model/values/stream_options.ts";
import { streamScript } from "../streams/stream_script.ts";
import { conversationScript } from "../streams/conversation_script.ts";
import type { ScriptContext } from "../documents/next_script.ts";

const anyWanted = z.discriminatedUnion("kind", [
  conferenceOptions,
  enqueueOptions,
  dequeueOptions,
  streamOptions,
  conversationOptions,
]);

/** The steps that a `consult` stands for, now that its turn has come. */
export async function consultScript(
  { serviceContext, action }: LegEvent & { type: "consulting" },
  context: ScriptContext,
): Promise<Script> {
  const wanted = anyWanted.parse(serviceContext);
  switch (wanted.kind) {
    case "conference":
      return await enterConference(wanted, action, context);
    case "enqueue":
      return await enqueueCall(wanted, action, context);
    case "stream":
      return await streamScript(wanted, action, context);
    case "conversation":
      return await conversationScript(wanted, action, context);
    case "dequeue":
      return await dequeueCall(wanted, action, context);
  }
}
