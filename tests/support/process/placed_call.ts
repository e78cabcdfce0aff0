import type { AppServer } from "../service/app_server.ts";
import { webrtcAnswer } from "../media/webrtc_answer.ts";
import type { Softphone } from "../sip/softphone.ts";
import { eventually } from "./eventually.ts";
import type { Json } from "./system.ts";

/** A client that places calls by REST. */
interface Caller {
  get(path: string): Promise<Json>;
  post(path: string, form: Record<string, string>): Promise<Json>;
}

/** A call to a phone, which has answered. */
export interface PlacedCall {
  sid: string;
  dialog: Awaited<ReturnType<Awaited<ReturnType<Softphone["nextCall"]>>["answer"]>>;
  begunAt: number;
}

/** Calls a phone, which answers; the call performs `/voice` of the application. */
export async function placeCall(
  caller: Caller,
  { app, phone, login }: { app: AppServer; phone: Softphone; login: string },
): Promise<PlacedCall> {
  const begunAt = performance.now();
  const { sid } = await caller.post("Calls.json", {
    From: "me",
    To: `client:${login}`,
    Url: `${app.url}/voice`,
    StatusCallback: `${app.url}/events`,
    StatusCallbackEvent: "initiated ringing answered completed",
  });
  const ringing = await phone.nextCall();
  ringing.ring();
  const dialog = await ringing.answer(webrtcAnswer(ringing.invite.body));
  await eventually(
    "the call is in progress",
    async () => (await caller.get(`Calls/${sid}.json`)).status === "in-progress",
  );
  return { sid, dialog, begunAt };
}

/** Status callbacks of a call, in order of the SequenceNumbers. */
export const toldOf = (app: AppServer, sid: string) =>
  app.sent("/events").filter(({ CallSid }) => CallSid === sid)
    .toSorted((a, b) => Number(a.SequenceNumber) - Number(b.SequenceNumber))
    .map(({ CallStatus }) => CallStatus);

/** Statuses in the callbacks of a call that was answered. */
export const wholeCall = ["initiated", "ringing", "in-progress", "completed"];
