import assert from "node:assert/strict";
import { learnTenants } from "../../core/machine/net/names.ts";
import { anyRoom, createSharedMedia } from "../../sip/media_shares.ts";
import { type MediaLeg, MediaShortage } from "../../sip/media/base/port.ts";
import { fakeMedia, foreignSdp } from "../support/media/fake_media.ts";
import { plainOffer } from "../support/sip/plain_peer.ts";

const browserOffer = "v=0\r\nm=audio 9 UDP/TLS/RTP/SAVPF 111\r\n";

const isRefused = (error: unknown) => error instanceof MediaShortage && error.of === "share";

/** As many legs as an account gets. */
async function takeAll(
  media: ReturnType<typeof createSharedMedia>,
  accountSid: string,
): Promise<MediaLeg[]> {
  const legs: MediaLeg[] = [];
  for (;;) {
    try {
      legs.push(await media.offer("rtp", { accountSid }));
    } catch (error) {
      assert.ok(isRefused(error), String(error));
      return legs;
    }
  }
}

Deno.test("a tenant, by its sub-accounts too, leaves a quarter of the ports to others", async () => {
  const engine = fakeMedia();
  const media = createSharedMedia(engine, { pairs: 100, ofBrowsers: false });
  learnTenants({ "AC-flooder-sub": "AC-flooder" });
  const sub = await takeAll(media, "AC-flooder-sub");
  assert.equal(sub.length, 75);
  assert.equal((await takeAll(media, "AC-flooder")).length, 0);
  assert.deepEqual(media.fullTenants(), ["AC-flooder"]);
  assert.equal(media.hasRoomFor!("AC-flooder", plainOffer(4_000)), false);
  await assert.rejects(media.answer(plainOffer(4_000), { accountSid: "AC-flooder" }), isRefused);

  // Others have a call each, with two legs, though all but the reserve is taken.
  for (let n = 0; n < 10; n++) {
    assert.equal(media.hasRoomFor!(`AC-${n}`, plainOffer(4_000)), true);
    assert.equal((await takeAll(media, `AC-${n}`)).length, 2);
  }

  // Browsers take none, and what ends gives back.
  await media.answer(browserOffer, { accountSid: "AC-flooder" }).catch(() => {});
  assert.equal(media.hasRoomFor!("AC-flooder", browserOffer), true);
  for (const leg of sub) {
    leg.close();
    leg.close();
  }
  assert.deepEqual(media.fullTenants(), []);
  assert.equal((await takeAll(media, "AC-flooder")).length, 55);
});

Deno.test("a leg that cannot be made holds no ports; the operator has no bound, nor has any port", async () => {
  const engine = fakeMedia();
  const media = createSharedMedia(engine, { pairs: 8, ofBrowsers: true });
  const accountSid = "AC-one";
  for (let n = 0; n < 20; n++) {
    await assert.rejects(media.answer(foreignSdp, { accountSid }));
  }
  assert.equal((await takeAll(media, accountSid)).length, 6);
  await assert.rejects(media.offer("webrtc", { accountSid }), isRefused);
  media.learnOperator("AC-root");
  for (let n = 0; n < 10; n++) await media.offer("rtp", { accountSid: "AC-root" });

  const unbounded = createSharedMedia(engine, anyRoom);
  for (let n = 0; n < 100; n++) await unbounded.offer("rtp", { accountSid });
  assert.deepEqual(unbounded.fullTenants(), []);
});
