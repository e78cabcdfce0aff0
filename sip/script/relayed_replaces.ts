import { NO_TAG } from "../base/no_tag.ts";
import { parseReplaces } from "../text/replaces.ts";
import { replacedDialog } from "./refer_to.ts";
import type { Signalling } from "../contracts/signalling.ts";

/**
 * The Replaces for a device here, of one that names the dialog between the companions; undefined
 * where there is no such call any more.
 */
export function replacesHere(signalling: Signalling, header: string): string | undefined {
  const replaces = parseReplaces(header);
  const dialog = replaces && replacedDialog(signalling, replaces);
  const session = signalling.relayed.get(dialog?.leg ?? "")?.callee.dialog?.session;
  return session && namedBySession(session);
}

/** Names a dialog to the peer that has it (RFC 3891 §6.1); 0 stands for a tag that it has not (§3). */
export const namedBySession = (
  { callId, remoteTag, localTag }: { callId: string; remoteTag: string; localTag: string },
): string => `${callId};to-tag=${remoteTag === NO_TAG ? "0" : remoteTag};from-tag=${localTag}`;
