import assert from "node:assert/strict";
import type { Companion } from "../../../sip/companion.ts";
import type { Call } from "../../../core/model/resources/calls.ts";
import {
  type CompanionsLab,
  type CompanionsLabOptions,
  startCompanions,
} from "../service/companions_lab.ts";
import { xml } from "../service/hand_companion.ts";

/** A service with the companions `one` and `two`, and Clients whose calls get markup of their own. */
export interface PeerRoomsLab extends CompanionsLab {
  one: Companion;
  two: Companion;
  /** Markup by path; the VoiceUrl of a Client is its login. */
  readonly pages: Map<string, string>;
  /** Requests to a path, in order. */
  asked(path: string): Promise<Record<string, string>[]>;
  /** Callbacks of conferences, in the order of the SequenceNumbers. */
  told(): Promise<Record<string, string>[]>;
  /** The call that a Client placed last. */
  callOf(login: string): Promise<Call>;
  /** The one Conference, with those in it by their logins. */
  conference(): Promise<{ sid: string; status: string; logins: string[] }>;
  participant(login: string, form: Record<string, string>): Promise<Record<string, unknown>>;
}

/** Markup that enters the conference of these tests. */
export const lobby = (attributes = "", dial = `action="/after"`) =>
  `<Dial ${dial}><Conference beep="false" statusCallback="/events"
    statusCallbackEvent="start end join leave mute hold" ${attributes}>lobby</Conference></Dial>`;

export async function startPeerConferences(
  logins: readonly string[],
  only: Record<string, CompanionsLabOptions> = {},
): Promise<PeerRoomsLab> {
  const lab = await startCompanions(["one", "two"], { only });
  const [one, two] = lab.companions as [Companion, Companion];
  const { app } = lab;
  const { companions, records } = app.ports;
  await lab.until(async () =>
    (await companions.list()).every(({ sipUri }) => sipUri !== undefined)
  );
  const pages = new Map<string, string>();
  app.answers = ({ url }) => xml(pages.get(new URL(url).pathname) ?? "<Hangup/>");
  const { sid: accountSid } = app.root;
  for (const login of logins) {
    const sid = await lab.client(login);
    await records.clients.update(accountSid, sid, (record) => ({
      record: { ...record, voiceUrl: `https://app.test/${login}` },
    }));
  }
  const asked = async (path: string) =>
    await Promise.all(
      app.fetched.filter(({ url }) => new URL(url).pathname === path)
        .map(async (one) => Object.fromEntries(new URLSearchParams(await one.clone().text()))),
    );
  const callOf = async (login: string) => {
    const { calls } = (await app.root.get("Calls.json")).json();
    const all = await Promise.all(
      calls.map(({ sid }: { sid: string }) => records.calls.get(accountSid, sid)),
    ) as Call[];
    const own = all.filter(({ from }) => from === `client:${login}`);
    const found = own.toSorted((a, b) => a.dateCreated - b.dateCreated).at(-1);
    assert.ok(found, `${login} has placed a call`);
    return found;
  };
  const conference = async () => {
    const [found] = (await app.root.get("Conferences.json")).json().conferences;
    if (found === undefined) return { sid: "", status: "", logins: [] };
    const path = `Conferences/${found.sid}/Participants.json`;
    const { participants } = (await app.root.get(path)).json();
    const own = await Promise.all(
      participants.map(async ({ call_sid }: { call_sid: string }) =>
        (await records.calls.get(accountSid, call_sid))!.from.replace("client:", "")
      ),
    );
    return { sid: found.sid, status: found.status, logins: own.toSorted() };
  };
  return {
    ...lab,
    one,
    two,
    pages,
    asked,
    callOf,
    conference,
    async told() {
      await app.runJobs();
      return (await asked("/events")).toSorted((a, b) =>
        Number(a.SequenceNumber) - Number(b.SequenceNumber)
      );
    },
    async participant(login, form) {
      const { sid } = await conference();
      const path = `Conferences/${sid}/Participants/${(await callOf(login)).sid}.json`;
      const answer = await app.root.post(path, form);
      assert.equal(answer.status, 200, answer.text);
      return answer.json();
    },
  };
}
