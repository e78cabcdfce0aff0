import assert from "node:assert/strict";
import { openCarriers, smppAddress } from "../../../../core/machine/start/carriers.ts";
import { readConfig } from "../../../../core/machine/configuration/config.ts";
import { ratesOf } from "../../../../core/machine/start/service_ports.ts";
import { type Message } from "../../../../core/model/resources/messages.ts";
import { startApp } from "../../../support/service/app.ts";

const configOf = (values: Record<string, string>) => readConfig((name) => values[name]);

const values: [name: string, good: string[], bad: string[]][] = [
  ["SMS_ROUTES", ["smpp", "gateway,http", "http,smpp,gateway"], [
    "",
    "sip",
    "smpp,smpp",
    "smpp, http",
  ]],
  ["SMPP_URL", ["", "smpp://a:b@c:1", "smpps://a:b@c"], ["c:1", "http://c", "smpp"]],
  ["SMPP_RECEIPTS", ["true", "false"], ["yes"]],
  ["SMS_URL", ["", "https://sms.test/x"], ["sms.test", "smpp://x"]],
  ["SMS_INBOUND_TOKEN", ["", "x".repeat(16)], ["short"]],
  ["SMS_RATES_FILE", ["", "/etc/sms.csv"], ["/etc/a,b"]],
];

for (const [name, good, bad] of values) {
  Deno.test(`${name} is checked when the configuration is read`, () => {
    for (const value of good) assert.doesNotThrow(() => configOf({ [name]: value }), value);
    for (const value of bad.filter(Boolean)) {
      assert.throws(() => configOf({ [name]: value }), new RegExp(name), value);
    }
  });
}

Deno.test("smppAddress() reads escapes, ports and addresses of IPv6", () => {
  assert.deepEqual(smppAddress("smpp://me%40x:p%3Aw@[::1]:99", "VMA"), {
    host: "::1",
    port: 99,
    tls: false,
    systemId: "me@x",
    password: "p:w",
    systemType: "VMA",
  });
  const { port, tls } = smppAddress("smpps://me@center.test", "");
  assert.deepEqual([port, tls], [3550, true]);
});

Deno.test("openCarriers() has the ways that are set up, in the order of SMS_ROUTES", async () => {
  using app = await startApp();
  const config = configOf({ SMS_URL: "http://127.0.0.1:9/", SMS_ROUTES: "gateway,http,smpp" });

  const carriers = openCarriers(config, app.ports);
  await carriers.stop();

  const message = { accountSid: app.root.sid, to: "+442079460000" } as Message;
  const reaches = await Promise.all(app.ports.messageRoutes.map((route) => route.reaches(message)));
  assert.deepEqual(reaches, [false, true]); // There is no Gateway; the aggregator takes all.
});

Deno.test("SMS_RATES_FILE tells what messages cost, by the longest prefix", async () => {
  const file = await Deno.makeTempFile();
  try {
    await Deno.writeTextFile(file, "prefix,price\n44,0.04\n4420,0.025\n,0.1\n");
    const { smsRateMicros, rateMicros } = await ratesOf(configOf({ SMS_RATES_FILE: file }));

    const prices = ["+442079460000", "+447700900000", "+15550001"].map(smsRateMicros);
    assert.deepEqual(prices, [25_000, 40_000, 100_000]);
    assert.equal(rateMicros("+442079460000"), 0);
  } finally {
    await Deno.remove(file);
  }
  await assert.rejects(
    ratesOf(configOf({ SMS_RATES_FILE: "/nowhere.csv" })),
    /Cannot read SMS_RATES_FILE \/nowhere\.csv/,
  );
});
