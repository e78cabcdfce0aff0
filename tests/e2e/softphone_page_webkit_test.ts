import assert from "node:assert/strict";
import { startSystem } from "../support/process/system.ts";
import { webkitTest } from "../support/browsers/webkit.ts";

webkitTest(
  "WebKitGTK, which has no WebRTC, registers, says that it makes no calls, and has messages",
  async (page) => {
    await using system = await startSystem();
    await system.post("Clients.json", { Login: "alice", Password: "secret" });
    const bob = await system.phone("bob");

    await page.open(`${system.baseUrl}/softphone`);
    assert.equal(await page.run("return typeof RTCPeerConnection"), "undefined");
    await page.shows("#cannot-call", "This browser cannot make or take calls");
    await page.type("#login", "alice");
    await page.type("#password", "secret");
    await page.click("#log-in [type=submit]");

    await page.shows("#state", "Registered as alice");
    await page.shows("#cannot-call", "This browser cannot make or take calls");
    const buttons = await page.run<string[]>(
      "return [...document.querySelectorAll('button')].filter((each) => each.checkVisibility())" +
        ".map((each) => each.textContent)",
    );
    assert.deepEqual(
      buttons.filter((text) => /call/i.test(text) && !text.startsWith("Notify")),
      [],
    );
    assert.ok(buttons.includes("New message"), buttons.join());
    await system.post("SMS/Messages.json", {
      From: "client:bob",
      To: "client:alice",
      Body: "hello",
    });
    await page.shows("#conversations", "bob (1 new)");
    assert.equal((await bob.call("sip:alice@localhost").final).status, 488);
  },
);
