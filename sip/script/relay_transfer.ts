import type { IncomingReferRequest } from "../base/sip_js.ts";
import { withFlow } from "../base/flow.ts";
import type { Leg } from "../contracts/leg.ts";
import { notifySipfrag } from "../leg/referral.ts";
import { Refused, statusToPass } from "../base/refused.ts";
import { readReferTo } from "./refer_to.ts";
import { passedReferTo } from "./replaced.ts";
import type { Calls } from "../contracts/calls.ts";
import { guard } from "../base/log.ts";

/**
 * Passes what either side of a relayed call says about transfers to the other, as it came; but a
 * conversation of the device is named as the other side knows it.
 */
export function relayTransfers(calls: Calls, a: Leg, b: Leg): void {
  a.onRefer = (request) => void passOn(calls, { from: a, to: b, request });
  b.onRefer = (request) => void passOn(calls, { from: b, to: a, request });
}

/** REFER one way (RFC 3515), and the NOTIFYs about it the other. */
async function passOn(
  calls: Calls,
  { from, to, request }: { from: Leg; to: Leg; request: IncomingReferRequest },
): Promise<void> {
  const { dialog } = from;
  if (dialog === undefined) return;
  const { message } = request;
  const referTo = readReferTo(message);
  if ("statusCode" in referTo) return void request.reject(referTo);
  const passed = ["Referred-By", "Refer-Sub", "Supported"].flatMap((name) =>
    message.getHeaders(name).map((value) => `${name}: ${value}`)
  );
  const headers = [`Refer-To: ${passedReferTo(calls, referTo, dialog)}`, ...passed];
  to.onNotify = (content, state) => {
    void notifySipfrag(dialog, { content, state, id: message.cseq });
    if (/^\s*terminated\b/i.test(state)) to.onNotify = undefined;
    return true;
  };
  const status = await to.dialog?.request("refer", { headers }) ?? 500;
  guard(calls.signalling.log, () =>
    withFlow(dialog.flow, () => {
      if (status < 300) return void request.accept({ statusCode: 202 });
      to.onNotify = undefined;
      request.reject({ statusCode: statusToPass(new Refused("pass a REFER on", status)) });
    }))();
}
