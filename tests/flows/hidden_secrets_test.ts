import assert from "node:assert/strict";
import { type App, startApp } from "../support/service/app.ts";
import { companionOf } from "../support/service/hand_companion.ts";

/** Everything that the account can read of requests to its server. */
async function shownOf(app: App): Promise<string> {
  const lists = ["Notifications.json", "Webhooks/Deliveries.json"];
  const texts = await Promise.all(lists.map(async (path) => (await app.root.get(path)).text));
  return texts.join("\n") + JSON.stringify(app.logged);
}

Deno.test("secrets of keys and both AuthTokens are masked where a server repeats them", async () => {
  using app = await startApp();
  const { secret } = (await app.root.post("Keys.json")).json();
  const { secondary_auth_token: next } = (await app.root.post("AuthTokens/Secondary.json")).json();
  const secrets = [secret, next, app.root.token];
  app.answers = () =>
    new Response(`keys: ${secrets.join(", ")}.`, {
      status: 500,
      headers: { "X-Secrets": secrets.join(" ") },
    });
  await app.root.post("Clients.json", { Login: "bob", Password: "secret" });
  const call = (await app.root.post("Calls.json", {
    From: "+15550001",
    To: "client:bob",
    Url: "https://app.test/voice",
    StatusCallback: "https://app.test/status",
  })).json();
  await app.runJobs();
  const leg = companionOf(app, call.sid);
  await leg.report({ type: "answered" });
  await leg.report({ type: "ended", outcome: "completed" });
  await app.runJobs();

  const shown = await shownOf(app);

  assert.equal(shown.match(/keys: \*{8}, \*{8}, \*{8}\./g)?.length, 2); // Document and webhook.
  for (const text of secrets) assert.ok(!shown.includes(text));
});
