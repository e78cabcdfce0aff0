import { encodeG711 } from "../../sip/media/codecs/g711.ts";
import { streamServer } from "../support/media/stream_server.ts";
import { speech } from "../support/media/synthetic_speech.ts";
import { startSystem } from "../support/process/system.ts";
import { startAppServer } from "../support/service/app_server.ts";
import { plainOffer, plainSocket, portOf } from "../support/sip/plain_peer.ts";

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const isLoud = (payload: Uint8Array) => payload.some((code) => (~code & 0x7f) > 0x20);
/** The longest silence within speech. */
const quietMs = 1_000;

/**
 * A conversation by text over the whole product. Delays from a text to its first sound at the
 * phone, and from the caller's first sound to silence. The speech process speaks.
 */
export async function measureConversations(
  turns: number,
  show: (name: string, delays: number[]) => void,
): Promise<void> {
  await using server = await streamServer();
  await using app = startAppServer();
  await using system = await startSystem({ env: { RTP_PORTS: "0" } });
  app.pages.set(
    "/voice",
    `<Response><Connect><ConversationRelay url="${server.url}"/></Connect></Response>`,
  );
  await system.post("Clients.json", {
    Login: "alice",
    Password: "alice-secret",
    VoiceUrl: `${app.url}/voice`,
  });
  const phone = await system.phone("alice");
  const socket = await plainSocket();
  const dialog = await phone.call("agent", { sdp: plainOffer(socket.port) }).answered;
  const to = portOf(dialog.remoteSdp);
  const silence = encodeG711("PCMU", new Int16Array(160));
  let frames: Uint8Array<ArrayBuffer>[] = [];
  let [firstSaidAt, lastLoudAt, isOver] = [0, 0, false];
  const timer = setInterval(() => {
    if (frames.length > 0 && firstSaidAt === 0) firstSaidAt = performance.now();
    socket.send(to, { payload: frames.shift() ?? silence });
  }, 20);
  void (async () => {
    while (!isOver) {
      const [packet] = await socket.next(1);
      if (packet!.payloadType === 0 && isLoud(packet!.payload)) lastLoudAt = performance.now();
    }
  })();
  const agent = await server.next();
  const [toSound, toSilence]: [number[], number[]] = [[], []];
  for (let turn = 0; turn < turns + 2; turn++) {
    while (performance.now() - lastLoudAt < quietMs) await pause(20);
    const sentAt = performance.now();
    const token = `This is the text of turn ${turn}, which nobody has said before. ` +
      "It goes on for long enough to be interrupted, and then it goes on a little longer.";
    agent.send({ type: "text", token, last: true });
    while (lastLoudAt < sentAt) await pause(1);
    const heardAt = lastLoudAt;
    await pause(700 + Math.random() * 20);
    firstSaidAt = 0;
    frames = framesOf(speech(1.2));
    const told = agent.messages.length;
    while (!agent.messages.slice(told).some(({ type }) => type === "interrupt")) await pause(5);
    await pause(500);
    if (turn < 2) continue;
    toSound.push(heardAt - sentAt);
    toSilence.push(lastLoudAt + 20 - firstSaidAt);
  }
  show("conversation: a new text, its first sound at the phone", toSound);
  show("conversation: the caller speaks, and hears silence", toSilence);
  isOver = true;
  clearInterval(timer);
  await dialog.bye();
  await socket.close();
}

function framesOf(pcm: Int16Array<ArrayBuffer>): Uint8Array<ArrayBuffer>[] {
  const bytes = encodeG711("PCMU", pcm);
  return Array.from(
    { length: Math.floor(bytes.length / 160) },
    (_, at) => bytes.slice(at * 160, (at + 1) * 160),
  );
}
