import assert from "node:assert/strict";
import type { Companion } from "../../../sip/companion.ts";
import type { MediaEngine } from "../../../sip/media/base/port.ts";
import { type CompanionsLab, startCompanions } from "../service/companions_lab.ts";
import { type FakeMedia, fakeMedia } from "../media/fake_media.ts";
import { xml } from "../service/hand_companion.ts";
import type { Softphone } from "./softphone.ts";
import type { PhoneDialog } from "./softphone_dialog.ts";
import { valueOf } from "./sip_text.ts";

/** A Client's phone in a call: its side of it. */
export interface Side {
  phone: Softphone;
  dialog: PhoneDialog;
}

/** A service with three companions, and the Clients alice, bob and carol. */
export interface TransferLab<M extends MediaEngine = FakeMedia> extends CompanionsLab {
  /** The media of each companion. */
  media: Record<string, M>;
  at(id: string): Companion;
  /** The statuses of all calls, of each companion. */
  statuses(): Promise<string[]>;
}

/** Calls of Clients pass SDP through, or end it in media of ours where they are `anchored`. */
export function startTransferLab(kind: "anchored" | "proxied"): Promise<TransferLab>;
export function startTransferLab<M extends MediaEngine>(
  kind: "anchored" | "proxied",
  engine: () => M,
): Promise<TransferLab<M>>;
export async function startTransferLab(
  kind: "anchored" | "proxied",
  engine: () => MediaEngine = () => fakeMedia(),
): Promise<TransferLab<MediaEngine>> {
  const ids = ["one", "two", "three"];
  const media = Object.fromEntries(ids.map((id) => [id, engine()]));
  const only = Object.fromEntries(ids.map((id) => [id, { media: media[id]! }]));
  const lab = await startCompanions(ids, { only });
  const { ports } = lab.app;
  lab.app.answers = ({ url }) =>
    xml(`<Dial timeout="20"><Client>${new URL(url).pathname.slice(1)}</Client></Dial>`);
  for (const login of ["alice", "bob", "carol"]) await lab.client(login);
  if (kind === "anchored") {
    await dials(lab, "alice", "bob");
    await dials(lab, "bob", "carol");
  }
  await lab.until(async () =>
    (await ports.companions.list()).every(({ sipUri }) => sipUri !== undefined)
  );
  return {
    ...lab,
    media,
    at: (id) => lab.companions[ids.indexOf(id)]!,
    async statuses() {
      const list = (await lab.app.root.get("Calls.json")).json().calls as { status: string }[];
      return list.map(({ status }) => status);
    },
  };
}

/** Has the calls of a Client go to another by markup: their media are ours. */
export async function dials({ app }: CompanionsLab, login: string, callee: string) {
  const { clients } = app.ports.records;
  const { accountSid, sid } = (await clients.holder("login", login))!;
  await clients.update(accountSid, sid, (record) => ({
    record: { ...record, voiceUrl: `https://app.test/${callee}` },
  }));
}

/** The SDP of a Client. */
export const sdpOf = (name: string) => `v=0\r\no=${name} 1 1 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\n`;

/** One phone calls another, which answers: both sides. */
export async function talking(caller: Softphone, callee: Softphone): Promise<[Side, Side]> {
  const call = caller.call(callee.login, { sdp: sdpOf(caller.login) });
  const taken = await (await callee.nextCall()).answer(sdpOf(callee.login));
  return [{ phone: caller, dialog: await call.answered }, { phone: callee, dialog: taken }];
}

/**
 * Attended transfer: connects the other side of the transferor's call with that of another call
 * (RFC 5589 §7).
 */
export async function refer(transferor: Side, consultation: Side, target: string): Promise<void> {
  const to = `sip:${target}@sip.test?Replaces=${consultation.dialog.replaces}`;
  const accepted = await transferor.dialog.request("REFER", { headers: [`Refer-To: <${to}>`] });
  assert.equal(accepted.status, 202);
}

/** The sipfrags that a transferor receives, until the last. */
export async function told({ dialog }: Side): Promise<string[]> {
  const lines: string[] = [];
  for (;;) {
    const notify = await dialog.next("NOTIFY");
    lines.push(notify.body.trim());
    if (valueOf(notify, "subscription-state").startsWith("terminated")) return lines;
  }
}

/** Follows a REFER as a softphone does: calls the target, and notifies of the outcome. */
export async function obey({ phone, dialog }: Side): Promise<PhoneDialog | number> {
  const refer = await dialog.next("REFER");
  const [, uri = "", replaces = ""] = /<([^?]+)\?Replaces=([^>]+)>/
    .exec(valueOf(refer, "refer-to")) ?? [];
  const tell = (line: string, state: string) =>
    dialog.request("NOTIFY", {
      headers: ["Event: refer", `Subscription-State: ${state}`],
      body: { type: "message/sipfrag", content: `SIP/2.0 ${line}\r\n` },
    });
  await tell("100 Trying", "active;expires=60");
  const headers = [`Replaces: ${decodeURIComponent(replaces)}`];
  const call = phone.call(uri, { sdp: sdpOf(`${phone.login}-again`), headers });
  const final = await call.final;
  await tell(`${final.status} Whatever`, "terminated;reason=noresource");
  return final.status === 200 ? await call.answered : final.status!;
}
