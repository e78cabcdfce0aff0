import type { IncomingReferRequest } from "sip.js/lib/core/index.js";
import { withFlow } from "../flow.ts";
import type { Leg } from "../leg/leg.ts";
import { notifySipfrag } from "../dialog/referral.ts";
import { Refused, statusToPass } from "../dialog/refused.ts";
import { guard, type Signalling } from "../signalling.ts";

/** Passes what either side of a relayed call says about transfers to the other, as it came. */
export function relayTransfers(signalling: Signalling, a: Leg, b: Leg): void {
  a.onRefer = (request) => void passOn(signalling, { from: a, to: b, request });
  b.onRefer = (request) => void passOn(signalling, { from: b, to: a, request });
}

/** REFER one way (RFC 3515), and the NOTIFYs about it the other. */
async function passOn(
  { log }: Signalling,
  { from, to, request }: { from: Leg; to: Leg; request: IncomingReferRequest },
): Promise<void> {
  const { dialog } = from;
  if (dialog === undefined) return;
  const { message } = request;
  const headers = ["Refer-To", "Referred-By", "Refer-Sub", "Supported"].flatMap((name) =>
    message.getHeaders(name).map((value) => `${name}: ${value}`)
  );
  to.onNotify = (content, state) => {
    void notifySipfrag(dialog, { content, state, id: message.cseq });
    if (/^\s*terminated\b/i.test(state)) to.onNotify = undefined;
    return true;
  };
  const status = await to.dialog?.request("refer", { headers }) ?? 500;
  guard(log, () =>
    withFlow(dialog.flow, () => {
      if (status < 300) return void request.accept({ statusCode: 202 });
      to.onNotify = undefined;
      request.reject({ statusCode: statusToPass(new Refused("pass a REFER on", status)) });
    }))();
}
