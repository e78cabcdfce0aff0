import type { DigestAuthentication, OutgoingRequestMessage } from "sip.js/lib/core/index.js";
import type { Dialog } from "../dialog/dialog.ts";
import { answerChallenge, type Challenges, type Login } from "./digest_client.ts";

const logins = new WeakMap<OutgoingRequestMessage, Login>();

/** Has a request outside of a dialog answer a challenge. */
export const loginWith = (request: OutgoingRequestMessage, login: Login): void =>
  void logins.set(request, login);

/**
 * What the library asks to answer a 401 or 407 to a request of ours (RFC 3261 §22.2, §22.3): with
 * the login of the request itself, or of the trunk whose dialog it is in. Others stay refused.
 */
export function clientAuthentication(dialogs: ReadonlyMap<string, Dialog>): DigestAuthentication {
  let answer = "";
  const answerer: Pick<DigestAuthentication, "authenticate" | "toString"> = {
    authenticate(request, challenges: Challenges) {
      const { callId, fromTag, toTag, method, ruri } = request;
      const login = logins.get(request) ?? dialogs.get(callId + fromTag + toTag)?.trunk?.login;
      const target = { method, uri: ruri.toRaw() };
      const found = login && answerChallenge(challenges, login, target);
      answer = found ?? "";
      return found !== undefined;
    },
    toString: () => answer,
  };
  // The library calls no more of it.
  return answerer as DigestAuthentication;
}
