import type { Trunk } from "../contracts/trunk.ts";
import type { Dialog } from "../contracts/dialog.ts";
import { peerLogin } from "../text/peer_proofs.ts";
import type { LegName } from "../text/leg_names.ts";
import type { Calls } from "../contracts/calls.ts";
import { type ReferTo, replacedDialog } from "./refer_to.ts";
import type { Replaces } from "../text/replaces.ts";

/** The leg that a Replaces means, at whichever companion it is; undefined where it means none. */
export function replacedLeg(
  { signalling, find }: Calls,
  replaces: Replaces,
  /** Client that must be at the other end of the dialog; any peer unless given. */
  login?: string,
): LegName | undefined {
  const named = signalling.legNames.read(replaces);
  if (named !== undefined) return named;
  const dialog = replacedDialog(signalling, replaces);
  if (dialog === undefined || login !== undefined && dialog.login !== login) return undefined;
  const relayed = signalling.relayed.get(dialog.leg);
  if (relayed !== undefined) return relayed.named;
  const { id: leg, accountSid } = find(dialog.leg)?.leg ?? {};
  return leg === undefined || accountSid === undefined ? undefined : { leg, accountSid };
}

/**
 * The leg in whose place the other side is to talk, by a REFER of who is at the other end of a
 * dialog: only who takes part in both conversations may join them.
 */
export function referredLeg(
  calls: Calls,
  { replaces }: ReferTo,
  { login, trunk }: Pick<Dialog, "login" | "trunk">,
): LegName | undefined {
  if (replaces === undefined) return undefined;
  if (trunk !== undefined) return legOfTrunk(calls, replaces, trunk);
  // The first companion has checked the Replaces that it passes on.
  const mayBeAny = login === undefined || login === peerLogin;
  return mayBeAny ? calls.signalling.legNames.read(replaces) : replacedLeg(calls, replaces, login);
}

/** The other call of a trunk, such as a PBX whose phone joins two. */
function legOfTrunk(
  { signalling, find }: Calls,
  replaces: Replaces,
  trunk: Trunk,
): LegName | undefined {
  const dialog = replacedDialog(signalling, replaces);
  if (dialog?.trunk === undefined || !trunk.owns(dialog.flow.remote.host)) return undefined;
  const { id: leg, accountSid } = find(dialog.leg)?.leg ?? {};
  return leg === undefined || accountSid === undefined ? undefined : { leg, accountSid };
}

/** The Refer-To to pass on: any companion can find the leg that it means. */
export function passedReferTo(
  calls: Calls,
  referTo: ReferTo,
  dialog: Pick<Dialog, "login" | "trunk">,
): string {
  const named = referredLeg(calls, referTo, dialog);
  if (named === undefined) return referTo.raw;
  const value = encodeURIComponent(calls.signalling.legNames.write(named));
  return referTo.raw.replace(/([?&]replaces=)[^&>]*/i, (_, name) => name + value);
}
