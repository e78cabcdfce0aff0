import type { IncomingResponseMessage, OutgoingRequestMessage } from "../stack/library/sip_js.ts";
import type { Dialog } from "../contracts/dialog.ts";
import {
  answerChallenge,
  type Challenge,
  type Challenges,
  isStale,
  knownChallenges,
  type Login,
} from "../text/digest_client.ts";
import { sipLimits } from "../base/limits.ts";

const logins = new WeakMap<OutgoingRequestMessage, Login>();

/** Has a request outside of a dialog answer a challenge. */
export const loginWith = (request: OutgoingRequestMessage, login: Login): void =>
  void logins.set(request, login);

/** Answers the challenges to one request of ours. */
export interface ClientAuthentication {
  /**
   * Puts credentials into the request for all who have asked for them so far; false where there are
   * none, or those that were sent are refused.
   */
  answer(request: OutgoingRequestMessage, response: IncomingResponseMessage): boolean;
}

/** What a server on the way asked for. */
interface Asked {
  /** The header that answers it. */
  name: string;
  challenge: Challenge;
  /** How often its nonce was used. */
  count: number;
  /** It asked for a second time. */
  isAgain: boolean;
}

const headerNames = [
  ["WWW-Authenticate", "Authorization"],
  ["Proxy-Authenticate", "Proxy-Authorization"],
] as const;

/**
 * With the login of the request itself, or of the trunk whose dialog it is in; others stay refused.
 * A proxy and the server behind it may each ask in turn: who has its credentials gets them again
 * (RFC 3261 §22.2, §22.3).
 */
export function clientAuthentication(dialogs: ReadonlyMap<string, Dialog>): ClientAuthentication {
  const asked = new Map<string, Asked>();
  return {
    answer(request, response) {
      const { callId, fromTag, toTag, method, ruri } = request;
      const login = logins.get(request) ??
        dialogs.get(callId + fromTag + toTag)?.trunk?.login;
      if (login === undefined || !note(asked, response)) return false;
      for (const [, name] of headerNames) {
        const values = [...asked.values()].filter((one) => one.name === name).map((one) =>
          answerChallenge(one.challenge, login, { method, uri: ruri.toRaw(), count: ++one.count })
        );
        if (values.length > 0) request.setHeader(name, values);
      }
      return true;
    },
  };
}

/** Notes the realms that challenge; false where none can be answered, or one refuses its answer. */
function note(asked: Map<string, Asked>, { headers }: IncomingResponseMessage): boolean {
  const asking = headerNames.flatMap(([challenged, name]) => {
    const challenges = headers[challenged]?.[0]?.parsed as Challenges | undefined;
    return challenges === undefined ? [] : knownChallenges(challenges).map((challenge) => ({
      name,
      challenge,
    }));
  });
  for (const { name, challenge } of asking) {
    const key = `${name} ${challenge.realm}`;
    const before = asked.get(key);
    if (before !== undefined && (before.isAgain || !isStale(challenge))) return false;
    asked.set(key, { name, challenge, count: 0, isAgain: before !== undefined });
  }
  return asking.length > 0 && asked.size <= sipLimits.challengers;
}
