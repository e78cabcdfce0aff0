import assert from "node:assert/strict";
import { lookedUpFor } from "../../../../core/machine/net/names.ts";
import type { Script } from "../../../../core/protocol/script.ts";
import { action, gatherStep, startGathering } from "../../../support/sip/gather_lab.ts";
import { sipTest } from "../../../support/sip/sip_lab.ts";

const next: Script[number] = { type: "next", action: { ...action, url: "http://app.test/next" } };
const wait: Script[number] = { type: "silence", seconds: 60 };
const played = (name: string): Script[number] => ({
  type: "play",
  url: `http://app.test/${name}.wav`,
  loop: 1,
});

sipTest(
  "gather() stops the prompt at a key, tells what was typed, and performs the answer",
  async () => {
    await using call = await startGathering([[gatherStep()], [played("menu"), wait]], {
      slowMedia: true,
    });
    await call.prompted();
    for (const key of "12#") call.ours.press(key);
    const { event, wantsScript } = await call.lab.service.event("gathered", call.leg);
    await call.asked("http://app.test/menu.wav");
    call.ours.press("9");

    assert.equal(wantsScript, true);
    assert.deepEqual(event, { type: "gathered", digits: "12", action: { ...action, hops: 0 } });
    assert.equal(call.events("gathered").length, 1);
  },
);

sipTest("gather() takes digits of INFO, the last one of as many as are wanted", async () => {
  const keys = { start: "0123456789*#", finish: "#", most: 2 };
  await using call = await startGathering([[gatherStep({ keys })], [wait]]);
  await call.prompted();
  const info = (content: string) =>
    call.phone.request("INFO", { body: { type: "application/dtmf-relay", content } });
  const statuses = [await info("Signal=4\r\n"), await info("Signal=10\r\n")];
  const { event } = await call.lab.service.event("gathered", call.leg);

  assert.deepEqual(statuses.map(({ status }) => status), [200, 200]);
  assert.equal(event.digits, "4*");
});

sipTest("gather() counts its timeout after the prompts, and goes on without a report", async () => {
  const prompts = [
    { type: "silence", seconds: 0.2 } as const,
    { type: "play", url: "http://app.test/prompt.wav", loop: 1 } as const,
  ];
  await using call = await startGathering([
    [gatherStep({ prompts, timeoutS: 0.01 }), played("nobody"), wait],
  ]);
  await call.asked("http://app.test/nobody.wav");

  assert.deepEqual(call.events("gathered"), []);
  assert.equal(call.ours.played.length, 1);
});

sipTest("gather() submits what was typed when no more comes", async () => {
  await using call = await startGathering([[gatherStep({ timeoutS: 1 })], [wait]]);
  await call.prompted();
  call.ours.press("7");
  const { event } = await call.lab.service.event("gathered", call.leg);

  assert.equal(event.digits, "7");
});

sipTest("gather() without an action keeps the digits for the next one, once", async () => {
  const { action: _, ...silent } = gatherStep();
  await using call = await startGathering([[silent, next], [next]]);
  await call.prompted();
  for (const key of "42#") call.ours.press(key);
  await call.lab.service.event("ended", call.leg);

  assert.deepEqual(call.events("next").map((event) => event.type === "next" && event.action), [
    { url: "http://app.test/next", method: "POST", hops: 0, digits: "42" },
    { url: "http://app.test/next", method: "POST", hops: 1 },
  ]);
});

sipTest("gather() takes no key that was pressed before it began", async () => {
  await using call = await startGathering([
    [played("before"), { type: "silence", seconds: 1 }, gatherStep()],
    [wait],
  ]);
  await call.asked("http://app.test/before.wav");
  call.ours.press("1");
  await call.prompted();
  call.ours.press("2");
  call.ours.press("#");
  const { event } = await call.lab.service.event("gathered", call.leg);

  assert.equal(event.digits, "2");
});

sipTest("gather() lets the prompt go on at a key that begins no input", async () => {
  const keys = { start: "5", finish: "#", most: 1 };
  await using call = await startGathering(
    [[gatherStep({ keys, prompts: [played("prompt"), played("more")] as never })], [wait]],
    { slowMedia: true },
  );
  await call.prompted();
  call.ours.press("4");
  call.ours.press("#");
  await call.phone.request("INFO"); // By now it plays.
  call.ours.finishPlaying();
  await call.asked("http://app.test/more.wav");
  call.ours.press("5");
  const { event } = await call.lab.service.event("gathered", call.leg);

  assert.equal(event.digits, "5");
});

sipTest("gather() tells nothing when the caller hangs up in it", async () => {
  await using call = await startGathering([[gatherStep()]]);
  await call.prompted();
  call.ours.press("1");
  await call.phone.bye();
  await call.lab.service.event("ended", call.leg);

  assert.deepEqual(call.events("gathered"), []);
});

sipTest("gather() gives way to another script, and to a hang-up", async () => {
  await using call = await startGathering([[gatherStep()]], { slowMedia: true });
  await call.prompted();
  call.ours.press("1");
  await call.lab.run(call.leg, [played("redirected"), wait]);
  await call.asked("http://app.test/redirected.wav");
  call.ours.press("#");
  await call.lab.run(call.leg, [{ type: "hangup" }]);
  const bye = await call.phone.ended;
  await call.lab.service.event("ended", call.leg);

  assert.equal(bye.method, "BYE");
  assert.deepEqual(call.events("gathered"), []);
});

sipTest("sendDigits() sends them as often as is wanted", async () => {
  await using call = await startGathering([
    [{ type: "digits", digits: "1w2", loop: 2 }, { type: "digits", digits: "#", loop: 1 }],
  ]);
  await call.lab.service.event("ended", call.leg);

  assert.deepEqual(call.ours.sentDigits, ["1w2", "1w2", "#"]);
});

sipTest("gather() takes keys although its prompt cannot be had", async () => {
  const loadAudio = () => Promise.reject(new Error("Cannot load audio: it is gone"));
  await using call = await startGathering([[gatherStep()], [wait]], { loadAudio });
  await call.lab.service.event("problem", call.leg);
  call.ours.press("3");
  call.ours.press("#");
  const { event } = await call.lab.service.event("gathered", call.leg);

  assert.equal(event.digits, "3");
});

sipTest(
  "play() gives way to another script, and to a hang-up, although it plays for ever",
  async () => {
    const forEver = { ...played("forever"), loop: 0 } as Script[number];
    await using call = await startGathering([[forEver]], { slowMedia: true });
    await call.asked("http://app.test/forever.wav");
    await call.lab.run(call.leg, [played("redirected"), wait]);
    await call.asked("http://app.test/redirected.wav");
    await call.lab.run(call.leg, [{ type: "hangup" }]);

    assert.equal((await call.phone.ended).method, "BYE");
  },
);

sipTest("gather() keeps the keys of a prompt that they may not end, until it is over", async () => {
  const prompts = [played("prompt"), played("more")] as never;
  await using call = await startGathering(
    [[gatherStep({ bargeIn: false, prompts })], [wait]],
    { slowMedia: true },
  );
  await call.prompted();
  call.ours.press("4");
  call.ours.press("#");
  await call.phone.request("INFO"); // By now it plays.
  call.ours.finishPlaying();
  await call.asked("http://app.test/more.wav");
  await call.phone.request("INFO");
  assert.deepEqual(call.events("gathered"), []);
  call.ours.finishPlaying();
  const { event } = await call.lab.service.event("gathered", call.leg);

  assert.equal(event.digits, "4");
});

sipTest("gather() asks its action where nothing came, if that is wanted", async () => {
  await using call = await startGathering([
    [gatherStep({ timeoutS: 1, actionOnEmpty: true })],
    [wait],
  ]);
  const { event } = await call.lab.service.event("gathered", call.leg);

  assert.deepEqual([event.digits, event.speech], ["", undefined]);
});

sipTest("play() takes its look-ups from the share of the call's account", async () => {
  const share = Promise.withResolvers<string | undefined>();
  const loadAudio = () => {
    share.resolve(lookedUpFor());
    return Promise.resolve(new Int16Array(160));
  };
  await using call = await startGathering([[played("prompt"), wait]], { loadAudio });

  assert.equal(await share.promise, `AC${"0".repeat(32)}`);
  await call.lab.run(call.leg, [{ type: "hangup" }]);
  await call.phone.ended;
});
