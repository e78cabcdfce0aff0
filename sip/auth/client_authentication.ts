import type { IncomingResponseMessage, OutgoingRequestMessage } from "../base/sip_js.ts";
import type { Log } from "../base/log.ts";
import type { Dialog } from "../contracts/dialog.ts";
import {
  answerChallenge,
  type Challenge,
  type Challenges,
  describeChallenge,
  isStale,
  knownChallenges,
  type Login,
  newCnonce,
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

/** Challenge of a server on the route. */
interface Asked {
  /** The header that answers it. */
  name: string;
  challenge: Challenge;
  /** Uses of its nonce, and our cnonce for all of them. */
  count: number;
  cnonce: string;
  /** True after its second challenge. */
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
export function clientAuthentication(
  { dialogs, log }: { dialogs: ReadonlyMap<string, Dialog>; log: Log },
): ClientAuthentication {
  const asked = new Map<string, Asked>();
  return {
    answer(request, response) {
      const { callId, fromTag, toTag, method, ruri } = request;
      const login = logins.get(request) ??
        dialogs.get(callId + fromTag + toTag)?.trunk?.login;
      if (login === undefined) return false;
      if (!note(asked, response)) {
        logUnknown(log, { method, to: ruri.host }, response);
        return false;
      }
      const body = typeof request.body === "string" ? request.body : request.body?.body ?? "";
      for (const [, name] of headerNames) {
        const values = [...asked.values()].filter((one) => one.name === name).map((one) =>
          answerChallenge(one.challenge, login, {
            method,
            uri: ruri.toRaw(),
            body,
            count: ++one.count,
            cnonce: one.cnonce,
          })
        );
        if (values.length > 0) request.setHeader(name, values);
      }
      return true;
    },
  };
}

const challengesOf = (
  { headers }: IncomingResponseMessage,
  challenged: string,
): Challenges | undefined => headers[challenged]?.[0]?.parsed as Challenges | undefined;

/** Logs the challenges of a response where none is supported. */
function logUnknown(
  log: Log,
  request: { method: string; to: string },
  response: IncomingResponseMessage,
): void {
  const all = headerNames.flatMap(([challenged]) => {
    const challenges = challengesOf(response, challenged);
    return challenges === undefined ? [] : [challenges];
  });
  if (all.some((challenges) => knownChallenges(challenges).length > 0)) return;
  const asked = all.flatMap(({ headers }) => headers).slice(0, sipLimits.challengers)
    .map(describeChallenge);
  log(
    "Cannot answer a challenge: only Digest with MD5 or SHA-256 and qop auth or auth-int is known",
    { ...request, asked },
  );
}

/** Notes the realms that challenge; false where none can be answered, or one refuses its answer. */
function note(asked: Map<string, Asked>, response: IncomingResponseMessage): boolean {
  const asking = headerNames.flatMap(([challenged, name]) => {
    const challenges = challengesOf(response, challenged);
    return challenges === undefined ? [] : knownChallenges(challenges).map((challenge) => ({
      name,
      challenge,
    }));
  });
  for (const { name, challenge } of asking) {
    const key = `${name} ${challenge.realm}`;
    const before = asked.get(key);
    if (before !== undefined && (before.isAgain || !isStale(challenge))) return false;
    asked.set(key, {
      name,
      challenge,
      count: 0,
      cnonce: newCnonce(),
      isAgain: before !== undefined,
    });
  }
  return asking.length > 0 && asked.size <= sipLimits.challengers;
}
