import assert from "node:assert/strict";
import { startSystem } from "../support/process/system.ts";
import { webkitTest } from "../support/browsers/webkit.ts";

webkitTest(
  "WebKitGTK, which has no WebRTC, registers, and says that it makes no calls",
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
    assert.deepEqual(buttons, ["Log out"]);
    assert.equal((await bob.call("sip:alice@localhost").final).status, 488);
  },
);
