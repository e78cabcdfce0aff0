import type { Script } from "../../core/protocol/script.ts";
import { unlessAborted } from "../../core/base/abort.ts";
import { failureOf, hangUpOthers, lastEnding, ringAll } from "../leg/ring_all.ts";
import type { LegName } from "../text/leg_names.ts";
import type { LiveLeg } from "../contracts/live_leg.ts";
import type { ConferencePlace } from "../contracts/live_leg.ts";
import { leave, partyFor } from "./replace.ts";
import { askService, referredBy, type Transfer } from "./transfer.ts";

/** A REFER of one who is in a conference. */
export type ConferenceTransfer = Omit<Transfer, "other" | "transferor"> & {
  conference: ConferencePlace;
};

/**
 * Has whom the REFER names take the transferor's place in its conference; until it answers, nothing
 * changes. `replaces` is of another companion: who talks to that leg is called in place of whom the
 * REFER names.
 */
export async function blindInConference(
  transfer: ConferenceTransfer,
  replaces?: LegName,
): Promise<void> {
  const { calls, live, conference, by, referral } = transfer;
  const { left } = conference;
  const [step] = await askService(transfer, replaces);
  if (live.conference !== conference) return await referral.end(487);
  if (step?.type !== "dial") {
    return await referral.end(step?.type === "reject" && step.status ? step.status : 603);
  }
  const ring = ringAll(calls, live, step, {
    headers: [referredBy(live, by)],
    onRinging: () => referral.progress(180),
  });
  const winner = await unlessAborted(ring.winner, left);
  hangUpOthers(ring, winner);
  if (winner === undefined) {
    return await referral.end(left.aborted ? 487 : failureOf(await lastEnding(ring, undefined)));
  }
  await swap(transfer, winner.live, [live]);
}

/** The same with whom the transferor talks to in another call, which ends. */
export async function attendedInConference(
  transfer: ConferenceTransfer,
  replaced: LiveLeg | undefined,
): Promise<void> {
  const { calls, live, conference, referral } = transfer;
  const isOther = replaced !== undefined && replaced !== live;
  const party = isOther
    ? await partyFor(calls, { replaced, by: live, until: conference.left })
    : undefined;
  if (replaced === undefined || party === undefined) return await referral.end(481);
  await swap(transfer, party.live, [live, replaced]);
}

/** One comes to the conference as those leave who had it come, if both are still there to do so. */
async function swap(
  { calls, live, conference, referral }: ConferenceTransfer,
  newcomer: LiveLeg,
  leaving: LiveLeg[],
): Promise<void> {
  // A transferor that was sent elsewhere has no place there to give, nor one whose conference has
  // ended.
  if (live.conference !== conference || newcomer.leg.signal.aborted) {
    newcomer.leg.hangup({ cause: "transfer" });
    return await referral.end(487);
  }
  for (const { acquire } of leaving) acquire();
  newcomer.run(async (): Promise<Script> => {
    await Promise.all(leaving.map(({ idle }) => idle()));
    const { serviceContext, conferenceSid: only } = conference.step;
    return [{ type: "consult", serviceContext: { ...serviceContext, only } }, { type: "hangup" }];
  });
  await referral.end(200);
  await Promise.all(leaving.map((one) => leave(calls, one)));
}
