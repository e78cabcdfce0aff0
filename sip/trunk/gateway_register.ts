import type { IncomingResponseMessage, UserAgentClient } from "../base/sip_js.ts";
import type { Registration } from "../../core/protocol/trunks.ts";
import { loginWith } from "../auth/client_authentication.ts";
import { type Flow, withFlow } from "../base/flow.ts";
import { sipLimits } from "../base/limits.ts";
import { guard } from "../base/log.ts";
import type { Signalling } from "../contracts/signalling.ts";
import { trunkUri, userOf } from "../text/uri.ts";
import type { Proxy } from "./proxy.ts";

/** Common fields of the REGISTERs of one Gateway (RFC 3261 §10.2.4). */
export interface Registering {
  readonly registration: Registration;
  readonly callId: string;
  readonly fromTag: string;
  /** The user part of our Contact, which the registrar alone knows. */
  readonly contactUser: string;
  cseq: number;
}

/** Response of a registrar, other than a challenge. */
export interface RegisterAnswer {
  status: number;
  phrase: string;
  /** Granted expiry in s; the requested one where the response has none. */
  expiresS: number;
  /** The least that it grants (423). */
  minExpiresS: number;
  retryAfterS: number;
}

/**
 * Sends a REGISTER and answers its challenge; undefined without a response in time, or the signal
 * aborts first. `expiresS` 0 unregisters.
 */
export function sendRegister(
  signalling: Signalling,
  registering: Registering,
  way: { flow: Flow; proxy: Proxy; expiresS: number; signal: AbortSignal },
): Promise<RegisterAnswer | undefined> {
  const { core, timers, log } = signalling;
  const { promise, resolve } = Promise.withResolvers<RegisterAnswer | undefined>();
  // Its Via has the name of the flow (RFC 3261 §18.1.1), which the message takes where it is made.
  const message = withFlow(way.flow, () => registerMessage(signalling, registering, way));
  const giveUp = () => {
    client?.dispose();
    resolve(undefined);
  };
  const stop = timers.after(sipLimits.trunkAnswerMs, giveUp);
  way.signal.addEventListener("abort", giveUp, { once: true });
  const final = guard(log, ({ message: response }: { message: IncomingResponseMessage }) => {
    resolve(answerOf(response, registering, way.expiresS));
  });
  let client: Pick<UserAgentClient, "dispose"> | undefined;
  withFlow(way.flow, () => {
    const delegate = { onAccept: final, onReject: final, onRedirect: final };
    // The library declares an interface that lacks dispose().
    client = core.register(message, delegate) as unknown as UserAgentClient;
  });
  return promise.finally(() => {
    stop();
    way.signal.removeEventListener("abort", giveUp);
    // An answer to a challenge took the number after.
    registering.cseq = message.cseq + 1;
  });
}

function registerMessage(
  { core }: Signalling,
  { registration, callId, fromTag, contactUser, cseq }: Registering,
  { flow, proxy: { uri }, expiresS }: { flow: Flow; proxy: Proxy; expiresS: number },
) {
  const { userName, password } = registration;
  const registrar = uri.clone();
  registrar.user = undefined;
  const own = trunkUri(userName, uri);
  own.clearParams();
  const contact = flow.local.contact.replace(/^sip:[^@]*@/, `sip:${contactUser}@`);
  const message = core.makeOutgoingRequestMessage("REGISTER", registrar, own, own, {
    callId,
    fromTag,
    cseq,
    routeSet: [],
  }, [`Contact: <${contact}>;expires=${expiresS}`, `Expires: ${expiresS}`]);
  loginWith(message, { userName, password });
  return message;
}

function answerOf(
  message: IncomingResponseMessage,
  { contactUser }: Registering,
  askedS: number,
): RegisterAnswer {
  const contacts = (message.headers["Contact"] ?? []).map(({ parsed }) => parsed);
  const ours = contacts.find((one) => one?.uri && userOf(one.uri) === contactUser);
  const given = ours?.getParam("expires") ?? message.getHeader("expires");
  return {
    status: message.statusCode ?? 500,
    phrase: message.reasonPhrase ?? "",
    expiresS: seconds(given) ?? askedS,
    minExpiresS: seconds(message.getHeader("min-expires")) ?? 0,
    retryAfterS: seconds(message.getHeader("retry-after")) ?? 0,
  };
}

function seconds(text: string | undefined): number | undefined {
  const digits = /^\s*(\d{1,9})(?!\d)/.exec(text ?? "")?.[1];
  return digits === undefined ? undefined : Number(digits);
}
