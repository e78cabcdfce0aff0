import assert from "node:assert/strict";
import type { Browser } from "playwright-core";
import type { MediaEngine, MediaLeg } from "../../../../sip/media/base/port.ts";
import { type BrowserPage, openPage } from "../../../support/browsers/browser_page.ts";
import type { AudioStats } from "../../../support/browsers/browser_softphone.ts";
import { chromiumTest } from "../../../support/browsers/chromium.ts";
import { tone } from "../../../support/media/tone.ts";
import { webrtcKinds } from "../../../support/media/webrtc_engines.ts";

const { signal } = new AbortController();
const TONES = [500, 1_200, 2_500];
const WAIT_MS = 60_000;

/** An engine of each kind and a browser whose pages call it; everything ends with the test. */
interface Scene {
  engine: MediaEngine;
  page(): Promise<BrowserPage>;
}

function scene(
  name: string,
  body: (scene: Scene) => Promise<void>,
): void {
  for (const kind of webrtcKinds) {
    chromiumTest(`${name}: ${kind.name}`, async (browser: Browser) => {
      const { engine, close } = await kind.open();
      const pages: BrowserPage[] = [];
      const page = async () => {
        const opened = await openPage(browser);
        pages.push(opened);
        return opened;
      };
      try {
        await body({ engine, page });
        await Promise.all(pages.map((each) => each.close()));
      } finally {
        await close();
      }
    });
  }
}

/** The page offers, the engine answers. */
async function callEngine(engine: MediaEngine, page: BrowserPage): Promise<MediaLeg> {
  const leg = await engine.answer(await page.run("offer"));
  await page.run("accept", leg.localSdp);
  await Promise.all([leg.connected, page.run("connected")]);
  return leg;
}

/** The engine offers, the page answers. */
async function callPage(engine: MediaEngine, page: BrowserPage): Promise<MediaLeg> {
  const leg = await engine.offer();
  await leg.accept(await page.run("answer", leg.localSdp));
  await Promise.all([leg.connected, page.run("connected")]);
  return leg;
}

for (const [name, connect] of [["answer", callEngine], ["offer", callPage]] as const) {
  scene(`${name}() plays tones that a browser hears`, async ({ engine, page }) => {
    const listener = await page();
    const leg = await connect(engine, listener);

    for (const hz of TONES) {
      const stop = new AbortController();
      const playing = leg.play(tone(hz, 0.5), { loop: 0, signal: stop.signal });
      await listener.run("awaitTone", hz, WAIT_MS);
      stop.abort();
      await playing;
    }
  });

  scene(`${name}() hears each digit of a browser once`, async ({ engine, page }) => {
    const presser = await page();
    const leg = await connect(engine, presser);
    let digits = "";
    const last = Promise.withResolvers<void>();
    leg.onDigits((digit) => {
      digits += digit;
      if (digit === "0") last.resolve();
    });

    await presser.run("pressDigits", "1599#*0");
    await last.promise; // The page says that all is pressed before all has come.

    assert.equal(digits, "1599#*0");
  });
}

scene("a browser that offers Opus alone hears a tone and is heard", async ({ engine, page }) => {
  const browser = await page();
  const offer = await browser.run<string>("offer");
  const opus = /^a=rtpmap:(\d+) opus\/48000\/2\r$/m.exec(offer)![1];
  const events = /^a=rtpmap:(\d+) telephone-event\/48000\r$/m.exec(offer)![1];
  const opusOnly = offer.replace(/^(m=audio \d+ \S+) .*\r$/m, `$1 ${opus} ${events}\r`);
  const leg = await engine.answer(opusOnly);
  await browser.run("accept", leg.localSdp);
  await Promise.all([leg.connected, browser.run("connected")]);

  const stop = new AbortController();
  const playing = leg.play(tone(1_200, 0.5), { loop: 0, signal: stop.signal });
  await browser.run("awaitTone", 1_200, WAIT_MS);
  stop.abort();
  await playing;
  // The fake microphone beeps.
  const heard = Promise.withResolvers<void>();
  leg.listen((frame) => frame.some((sample) => Math.abs(sample) > 2_000) && heard.resolve());
  await heard.promise;
  let digits = "";
  const last = Promise.withResolvers<void>();
  leg.onDigits((digit) => (digits += digit) && digit === "#" && last.resolve());
  await browser.run("pressDigits", "15#");
  await last.promise;
  assert.equal(digits, "15#");
});

scene("join() lets two browsers hear each other until leave()", async ({ engine, page }) => {
  const pages = [await page(), await page()] as const;
  const [one, other] = [await callEngine(engine, pages[0]), await callPage(engine, pages[1])];
  const stats = () => Promise.all(pages.map((each) => each.run<AudioStats>("stats")));
  for (const { totalAudioEnergy } of await stats()) assert.equal(totalAudioEnergy, 0);

  // The fake microphones beep.
  one.join(other);
  await Promise.all(pages.map((each) => each.run("awaitAudio", 100, WAIT_MS)));
  for (const { packetsReceived, packetsSent } of await stats()) {
    assert.ok(packetsReceived >= 100 && packetsSent >= 20, `${packetsReceived}, ${packetsSent}`);
  }

  other.leave();
  const playing = one.play(tone(500, 0.5), { loop: 0, signal });
  await pages[0].run("awaitTone", 500, WAIT_MS);
  one.close();
  await playing;
});

scene("reanswer() holds and resumes a browser", async ({ engine, page }) => {
  const holder = await page();
  const leg = await callEngine(engine, holder);
  const playing = leg.play(tone(500, 0.5), { loop: 0, signal });
  await holder.run("awaitTone", 500, WAIT_MS);

  const hold = await leg.reanswer(await holder.run("setDirection", "sendonly"));
  await holder.run("accept", hold);
  assert.match(hold, /^a=recvonly\r$/m);
  const resumed = await leg.reanswer(await holder.run("setDirection", "sendrecv"));
  await holder.run("accept", resumed);

  await holder.run("awaitTone", 500, WAIT_MS);
  leg.close();
  await playing;
});

for (const [name, connect] of [["answer", callEngine], ["offer", callPage]] as const) {
  scene(`a browser that restarts ICE hears and is heard, after ${name}()`, async (lab) => {
    const browser = await lab.page();
    const leg = await connect(lab.engine, browser);
    let since = 0;
    let beeps = Promise.withResolvers<void>();
    leg.listen((frame) => {
      if (frame.some((sample) => Math.abs(sample) > 2_000) && ++since > 10) beeps.resolve();
    });

    for (const hz of TONES) {
      const playing = leg.play(tone(hz, 0.5), { loop: 0, signal });
      await Promise.all([browser.run("awaitTone", hz, WAIT_MS), beeps.promise]);
      const names = await browser.run<string[]>("iceNames");
      await browser.run("accept", await leg.reanswer(await browser.run("restartIce")));
      await browser.run("awaitOtherNames", names, WAIT_MS);
      since = 0;
      beeps = Promise.withResolvers();
      await Promise.all([browser.run("awaitTone", hz, WAIT_MS), beeps.promise]);
      void playing;
    }
    leg.close();
  });
}

const losing = async ({ engine, page }: Scene) => {
  const closer = await page();
  const leg = await callEngine(engine, closer);
  await closer.run("close");
  await leg.lost;
};
scene("lost resolves when the browser closes its connection", losing);

scene("answer() and offer() connect every time", async ({ engine, page }) => {
  const caller = await page();
  for (let i = 0; i < 20; i++) {
    const leg = await (i % 2 === 0 ? callEngine : callPage)(engine, caller);
    const playing = leg.play(tone(1_200, 0.5), { loop: 0, signal });
    await caller.run("awaitTone", 1_200, WAIT_MS);
    leg.close();
    await Promise.all([playing, caller.run("close")]);
  }
});
