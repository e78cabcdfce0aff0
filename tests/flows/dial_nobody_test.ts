import assert from "node:assert/strict";
import { startCompanions } from "../support/service/companions_lab.ts";
import { xml } from "../support/service/hand_companion.ts";
import { sipTest } from "../support/sip/sip_lab.ts";

interface Notice {
  error_code: number;
  message_text: string;
  request_url: string;
}

/** Notifications, and parameters of the action, after a Dial that reaches no device. */
const nouns: Record<string, { noun: string; code: number; text: RegExp; response: string }> = {
  "a Client that there is not": {
    noun: "<Client>nobody</Client>",
    code: 13224,
    text: /client:nobody$/,
    response: "404",
  },
  "two Clients that there are not": {
    noun: "<Client>nobody</Client><Client>none</Client>",
    code: 13224,
    text: /client:nobody; client:none$/,
    response: "404",
  },
  "a Client that is disabled": {
    noun: "<Client>off</Client>",
    code: 13224,
    text: /client:off is disabled$/,
    response: "404",
  },
  "a Client whose phone is off": {
    noun: "<Client>bob</Client>",
    code: 13226,
    text: /client:bob$/,
    response: "480",
  },
  "a number without a Gateway": {
    noun: "<Number>+442079460000</Number>",
    code: 13224,
    text: /there is no Gateway/,
    response: "404",
  },
};

for (const [what, { noun, code, text, response }] of Object.entries(nouns)) {
  sipTest(
    `Dial of ${what} is one Notification, ${code}, and its action gets the outcome`,
    async () => {
      await using lab = await startCompanions(["one"]);
      const { app } = lab;
      const told = Promise.withResolvers<URLSearchParams>();
      app.answers = (request) => {
        if (new URL(request.url).pathname === "/voice") {
          return xml(`<Dial action="/after">${noun}</Dial>`);
        }
        void request.clone().text().then((form) => told.resolve(new URLSearchParams(form)));
        return xml("");
      };
      await lab.client("alice");
      await lab.client("bob");
      const off = await lab.client("off");
      await app.root.post(`Clients/${off}.json`, { Status: "0" });
      const alice = await lab.phone("alice", lab.companions[0]!);
      const form = { From: "+15550001", To: "client:alice", Url: "https://app.test/voice" };
      const { sid } = (await app.root.post("Calls.json", form)).json();
      await app.runJobs();

      const dialog = await (await alice.nextCall()).answer();
      const after = await told.promise;
      await dialog.ended;
      await lab.until(async () => {
        const call = await app.ports.records.calls.get(app.root.sid, sid);
        const { calls } = (await app.root.get("Calls.json")).json();
        // The report of the called party's end may come after that of the caller's.
        const isOver = ({ status }: { status: string }) => ["completed", "failed"].includes(status);
        return call?.status === "completed" && calls.every(isOver);
      });

      assert.equal(after.get("DialCallStatus"), "failed");
      assert.equal(after.get("DialSipResponseCode"), response);
      const { notifications } = (await app.root.get("Notifications.json")).json();
      const notices: Notice[] = notifications;
      const shown = JSON.stringify(notices.map(({ message_text }) => message_text));
      assert.deepEqual(notices.map(({ error_code }) => error_code), [code], shown);
      assert.match(notices[0]!.message_text, text);
      assert.equal(notices[0]!.request_url, code === 13224 ? form.Url : null);
    },
  );
}
