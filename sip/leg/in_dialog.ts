import type { IncomingInfoRequest } from "../base/sip_js.ts";
import type { Dialog, InDialogMessage } from "../contracts/dialog.ts";
import type { DialogEvents } from "../contracts/dialog_events.ts";
import { withFlow } from "../base/flow.ts";
import {
  companionType,
  type Content,
  digitOf,
  digitTypes,
  type TakeContent,
} from "../base/info.ts";
import type { Leg } from "../contracts/leg.ts";
import type { MediaLeg } from "../media/mod.ts";
import { isHold } from "./hold.ts";
import { answerOffer } from "./offer.ts";
import { statusToPass } from "../base/refused.ts";
import { guard } from "../base/log.ts";
import type { Signalling } from "../contracts/signalling.ts";
import { contactHeader } from "../stack/user_agent_core.ts";

/** The handlers of requests in a leg's dialog. */
export interface Wiring {
  /** The leg to which they are passed as they are; our own media answer without one. */
  counterpart: Leg | undefined;
  /** Called with each offer that our own media answered: true when the peer holds the call. */
  onHold: ((isHolding: boolean) => void) | undefined;
  /** Called with an address that audio came from and that is not among those of signalling. */
  onUnknownSource: ((address: string) => void) | undefined;
  onRefer: DialogEvents["onRefer"] | undefined;
  onNotify: DialogEvents["onNotify"] | undefined;
  /** The first handler of bodies; undefined in a USSD dialogue that has none yet. */
  onContent: TakeContent | undefined | null;
}

export const createWiring = (): Wiring => ({
  counterpart: undefined,
  onHold: undefined,
  onUnknownSource: undefined,
  onRefer: undefined,
  onNotify: undefined,
  onContent: null,
});

/** Handlers of a leg for requests in its dialog, other than its end. */
export function inDialogEvents(
  wiring: Wiring,
  media: () => MediaLeg | undefined,
): Pick<DialogEvents, "onOffer" | "onInfo" | "onProbe" | "onRefer" | "onNotify"> {
  return {
    // Audio that passes by the companion does not show the loss of the other end: the peer probes it.
    onProbe: () => wiring.counterpart?.dialog?.probe() ?? Promise.resolve(200),
    onOffer(sdp, signal) {
      const onFollowed = (theirs: string) => wiring.onHold?.(isHold(theirs));
      const { counterpart } = wiring;
      return answerOffer(sdp, { counterpart, media: media(), onFollowed, signal });
    },
    onInfo(body) {
      const { counterpart, onContent } = wiring;
      if (onContent === undefined) return Promise.resolve(403);
      const status = onContent?.(body);
      if (status !== undefined) return Promise.resolve(status);
      return takeInfo(body, { counterpart, media: media() });
    },
    onRefer(request) {
      if (wiring.onRefer === undefined) request.reject({ statusCode: 403 });
      else wiring.onRefer(request);
    },
    onNotify: (sipfrag, state) => wiring.onNotify?.(sipfrag, state) ?? false,
  };
}

/** Passes an INFO on, else takes its digit as if it had come in the media. */
async function takeInfo(
  body: Content,
  { counterpart, media }: { counterpart: Leg | undefined; media: MediaLeg | undefined },
): Promise<number> {
  // A softphone's would pass for an order of ours at another companion.
  if (isOfType(body, [companionType])) return 415;
  if (counterpart?.dialog !== undefined) {
    const status = await counterpart.dialog.request("info", body.content === "" ? {} : { body });
    return status < 300 || status === 415 || status === 469 ? status : 500;
  }
  if (body.content === "") return 200;
  const digit = digitOf(body);
  if (digit === undefined) return isOfType(body, digitTypes) ? 400 : 415;
  media?.takeDigit(digit);
  return 200;
}

const isOfType = ({ contentType }: Content, types: readonly string[]): boolean =>
  types.includes(contentType.split(";")[0]?.trim().toLowerCase() ?? "");

/** Answers INFO (RFC 6086 §4.2.2). */
export async function answerInfo(
  { log }: Signalling,
  dialog: Dialog,
  request: IncomingInfoRequest,
): Promise<void> {
  const { message } = request;
  const contentType = message.getHeader("content-type") ?? "";
  const statusCode = await dialog.events.onInfo({ contentType, content: message.body })
    .catch(statusToPass);
  guard(log, () =>
    withFlow(dialog.flow, () => {
      if (statusCode < 300) request.accept({ statusCode });
      else {
        const extraHeaders = statusCode === 415 ? [`Accept: ${digitTypes.join(", ")}`] : [];
        request.reject({ statusCode, extraHeaders });
      }
    }))();
}

/** Sends a request in the dialog; resolves with its final status, 481 when the dialog is over. */
export function sendRequest(
  { domain, dialogs, log }: Signalling,
  dialog: Dialog,
  { method, headers = [], body }: InDialogMessage & { method: "info" | "refer" | "notify" },
): Promise<number> {
  if (!dialogs.has(dialog.session.id)) return Promise.resolve(481);
  const { promise, resolve } = Promise.withResolvers<number>();
  const final = ({ message }: { message: { statusCode: number | undefined } }) =>
    resolve(message.statusCode ?? 500);
  guard((line, fields) => (log(line, fields), resolve(500)), () =>
    withFlow(dialog.flow, () => {
      dialog.session[method]({ onAccept: final, onReject: final, onRedirect: final }, {
        extraHeaders: [contactHeader(domain), ...headers],
        ...body && { body: { ...body, contentDisposition: "render" } },
      });
    }))();
  return promise;
}
