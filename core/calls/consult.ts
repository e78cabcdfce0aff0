import type { LegEvent } from "../bridge_events.ts";
import type { Script } from "../bridge_script.ts";
import { conferenceWanted, enterConference } from "../conferences/enter.ts";
import type { Asking } from "./next_script.ts";

/** The steps that a `consult` stands for, now that its turn has come. */
export async function consultScript(
  { memo, action }: LegEvent & { type: "consulting" },
  asking: Asking,
): Promise<Script> {
  return await enterConference(conferenceWanted.parse(memo), action, asking);
}
