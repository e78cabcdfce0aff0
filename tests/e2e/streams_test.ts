import assert from "node:assert/strict";
import { encodeG711 } from "../../sip/media/codecs/g711.ts";
import { eventually } from "../support/process/eventually.ts";
import { startSystem, type System } from "../support/process/system.ts";
import {
  type StreamConnection,
  type StreamServer,
  streamServer,
} from "../support/media/stream_server.ts";
import { amplitudeOf, tone } from "../support/media/tone.ts";
import { type AppServer, startAppServer } from "../support/service/app_server.ts";
import { isSound, plainOffer, plainSocket, portOf, soundOf } from "../support/sip/plain_peer.ts";

/** Audio streams from a phone to a customer's server, with the permissions of production. */

const loud = 2_000;

interface Lab {
  system: System;
  app: AppServer;
  server: StreamServer;
  /** A phone that says a tone from the answer on, and its call. */
  call(hz?: number): Promise<Caller>;
}

type Caller = Awaited<ReturnType<typeof calling>>;

async function calling(system: System, hz: number) {
  const socket = await plainSocket();
  const phone = await system.phone("alice");
  const dialog = await phone.call("agent", { sdp: plainOffer(socket.port) }).answered;
  const to = portOf(dialog.remoteSdp);
  const payload = encodeG711("PCMU", tone(hz, 0.02));
  const timer = setInterval(() => socket.send(to, { payload }), 20);
  return {
    dialog,
    socket,
    hears: (hz: number) =>
      socket.next(
        3,
        (packet) => isSound(packet) && amplitudeOf(hz, soundOf("PCMU", [packet])) > loud,
      ),
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await socket.close();
    },
  };
}

function streamingTest(name: string, body: (lab: Lab) => Promise<void>): void {
  Deno.test({
    name,
    timeout: 120_000,
    async fn() {
      await using app = startAppServer();
      await using server = await streamServer();
      await using system = await startSystem({ env: { RTP_PORTS: "0" } });
      await system.post("Clients.json", {
        Login: "alice",
        Password: "alice-secret",
        VoiceUrl: `${app.url}/voice`,
      });
      const callers: Caller[] = [];
      try {
        await body({
          system,
          app,
          server,
          async call(hz = 500) {
            const caller = await calling(system, hz);
            callers.push(caller);
            return caller;
          },
        });
      } finally {
        for (const caller of callers) await caller[Symbol.asyncDispose]();
      }
    },
  });
}

/** Sends the audio that comes back, as it comes. */
const echo = (connection: StreamConnection) =>
  connection.onMessage(({ event, media }) => {
    if (event === "media") connection.send({ event, media: { payload: media.payload } });
  });

streamingTest(
  "a server that echoes a Connect is heard, and its goodbye leads to the next verb",
  async ({ app, server, call }) => {
    app.pages.set(
      "/voice",
      `<Response><Connect action="/after"><Stream url="${server.url}/echo" statusCallback="/events">` +
        '<Parameter name="who" value="alice"/></Stream></Connect></Response>',
    );
    app.pages.set("/after", '<Response><Pause length="60"/></Response>');

    const caller = await call();
    const connection = await server.next();
    echo(connection);
    await caller.hears(500);
    connection.close();
    const after = await app.asked("/after");
    const stopped = await app.asked(
      "/events",
      ({ StreamEvent }) => StreamEvent === "stream-stopped",
    );

    assert.equal(connection.path, "/echo");
    assert.deepEqual(connection.messages[1]?.start.customParameters, { who: "alice" });
    assert.equal(after.StreamStatus, "stopped");
    assert.equal(stopped.StreamSid, after.StreamSid);
    assert.deepEqual(
      app.sent("/events").map(({ StreamEvent }) => StreamEvent),
      ["stream-started", "stream-stopped"],
    );
  },
);

streamingTest(
  "a server that vanishes ends Connect, with an error and the next verb",
  async ({ app, server, call, system }) => {
    app.pages.set(
      "/voice",
      `<Response><Connect><Stream url="${server.url}" statusCallback="/events"/></Connect>` +
        "<Redirect>/after</Redirect></Response>",
    );
    app.pages.set("/after", '<Response><Pause length="60"/></Response>');

    await call();
    const connection = await server.next();
    await connection.message(({ event }) => event === "media");
    connection.vanish();
    await app.asked("/after");
    const { StreamError } = await app.asked(
      "/events",
      ({ StreamEvent }) => StreamEvent === "stream-error",
    );

    assert.match(StreamError!, /broke off/);
    const { notifications } = await system.get("Notifications.json");
    assert.match(notifications[0].message_text, /audio stream/);
  },
);

streamingTest(
  "copies go on beside a Dial, are started by REST and stopped by name",
  async ({ app, server, call, system }) => {
    app.pages.set(
      "/voice",
      `<Response><Start><Stream url="${server.url}/copy" name="copy" track="both_tracks"/></Start>` +
        "<Dial><Client>bob</Client></Dial></Response>",
    );
    const bob = await system.phone("bob");
    const ringing = call();
    const his = await bob.nextPlainCall();
    const socket = await plainSocket(9_000);
    try {
      await his.answer(plainOffer(socket.port));
      await ringing;
      const copy = await server.next();
      const [{ sid }] = (await system.get("Calls.json?Status=in-progress")).calls
        .filter(({ direction }: { direction: string }) => direction === "inbound");
      const rest = await system.post(`Calls/${sid}/Streams.json`, {
        Url: `${server.url}/rest`,
        Name: "rest",
      });
      const second = await server.next();
      await Promise.all([copy, second].map((one) => one.message(({ event }) => event === "media")));
      await system.post(`Calls/${sid}/Streams/rest.json`, { Status: "stopped" });
      await second.closed;

      assert.equal(second.path, "/rest");
      assert.deepEqual(copy.messages[1]?.start.tracks, ["inbound", "outbound"]);
      await eventually(
        "the record says that it stopped",
        async () => (await system.get(`Streams/${rest.sid}.json`)).status === "stopped",
      );
      const both = new Set<string>();
      copy.onMessage(({ media }) => both.add(media?.track));
      await eventually("both tracks go on", () => both.has("inbound") && both.has("outbound"));
    } finally {
      await socket.close();
    }
  },
);

streamingTest(
  "the death of the companion ends its streams",
  async ({ app, server, call, system }) => {
    app.pages.set(
      "/voice",
      `<Response><Connect><Stream url="${server.url}" statusCallback="/events"/></Connect></Response>`,
    );
    await call();
    const connection = await server.next();
    await connection.message(({ event }) => event === "media");

    for (const pid of system.pids("sip/main.ts")) Deno.kill(pid, "SIGKILL");

    assert.equal(await connection.closed, 1006);
    await app.asked("/events", ({ StreamEvent }) => StreamEvent === "stream-stopped");
    await eventually(
      "the record says so",
      async () => (await system.get("Streams.json?Status=stopped")).total === 1,
    );
  },
);
