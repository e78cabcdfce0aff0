import assert from "node:assert/strict";
import { parseSdp } from "../../../sip/media/sdp/parse_sdp.ts";
import type { RtpPacket } from "../../../sip/media/rtp/rtp.ts";
import { OUR_FORMATS } from "../../../sip/media/sdp/sdp.ts";
import { ownSockets } from "../../../sip/media/webrtc/sockets.ts";
import { openPeer } from "../../../sip/media/webrtc/peer.ts";
import { writeSdp } from "../../../sip/media/sdp/write_sdp.ts";
import { loudnessOf } from "../../support/sip/plain_peer.ts";
import { isMulawSound, type RtpPeer, rtpPeer, speak } from "../../support/media/rtp_peer.ts";
import { invite, sipTest, startSipLab } from "../../support/sip/sip_lab.ts";
import { valueOf } from "../../support/sip/sip_text.ts";
import { respond } from "../../support/sip/softphone_dialog.ts";
import { embedded, onOnePort, steered } from "../../support/media/webrtc_engines.ts";

const sockets = ownSockets("127.0.0.1");

/** A browser that takes an offer, with its answer; without one, with an offer of its own. */
async function browser(offer?: string) {
  const taken = offer === undefined ? undefined : parseSdp(offer);
  const { mid = "audio", formats } = taken?.audio ?? { formats: OUR_FORMATS };
  const peer = await openPeer({ sockets, mid, formats, ...taken && { offer: taken } });
  const { next, send, close } = rtpPeer(undefined as never, peer);
  return { next, send, close, sdp: writeSdp(peer.local), accept: peer.accept, lost: peer.lost };
}

/** Resolves when a browser has heard a tone for a while from now on. */
async function hears({ next }: Pick<RtpPeer, "next">, hz: number): Promise<void> {
  for (let packets: RtpPacket[] = [];;) {
    packets = await next(15, isMulawSound);
    if (Math.abs(loudnessOf(hz, "PCMU", packets) - 8_000) < 1_500) return;
  }
}

for (const { name, open } of [embedded, onOnePort, steered]) {
  sipTest(
    `accept() follows from a browser that was heard early to another that answers: ${name}`,
    async () => {
      const { engine, close } = await open();
      await using lab = await startSipLab({ engine });
      const [alice, bob] = [await lab.phone("alice"), await lab.phone("bob")];
      lab.service.answer = ({ event }) =>
        event.type === "incoming"
          ? [{
            type: "dial",
            legs: [invite("bob")],
            media: "anchored",
            timeoutS: 60,
            timeLimitS: 60,
          }]
          : [];
      const caller = await browser();

      const calling = alice.call("bob", { sdp: caller.sdp });
      const { invite: came } = await bob.nextCall();
      const [one, two] = [await browser(came.body), await browser(came.body)];
      // The proxy in front of both, which responds in the name of either.
      const responds = (status: number, tag: string, sdp: string) =>
        respond({ phone: bob, send: bob.send } as never, came, { status, tag, sdp });
      responds(183, "one", one.sdp);
      let heard = await calling.nextProvisional();
      while (heard.body === "") heard = await calling.nextProvisional();
      void caller.accept(parseSdp(heard.body));
      const stops = [speak(one, 610)];
      await hears(caller, 610);
      responds(200, "two", two.sdp);
      await one.close(); // As its call was cancelled.
      const dialog = await calling.answered;
      stops.push(speak(two, 1_000), speak(caller, 820));
      await Promise.all([hears(caller, 1_000), hears(two, 820)]);
      const final = await calling.final;
      const bye = await dialog.bye();
      for (const stop of stops) stop();
      await two.lost;

      assert.equal(valueOf(came, "to").includes("tag="), false);
      assert.deepEqual([final.status, bye.status], [200, 200]);
      assert.equal(final.body, heard.body);
      await Promise.all([caller.close(), two.close(), close()]);
    },
  );
}
