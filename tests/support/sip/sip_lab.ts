import type { Invitation, Script } from "../../../core/protocol/script.ts";
import { type Companion, startCompanion } from "../../../sip/companion.ts";
import type { CompanionOptions } from "../../../sip/companion_options.ts";
import type { TransportOptions } from "../../../sip/transport/listen.ts";
import type { LoadAudio, MediaEngine } from "../../../sip/media/base/port.ts";
import type { Recogniser } from "../../../sip/media/sources/recogniser.ts";
import type { Speaker } from "../../../sip/media/sources/speaker.ts";
import type { SessionBounds } from "../../../sip/contracts/session_timer.ts";
import { type FakeMedia, fakeMedia } from "../media/fake_media.ts";
import { type FakeService, startFakeService, testDomain } from "./fake_service.ts";
import { openSoftphone, type Softphone, type SoftphoneOptions } from "./softphone.ts";

/** A running companion between a fake service and scripted softphones, all on the loopback. */
export interface SipLab {
  readonly service: FakeService;
  readonly companion: Companion;
  readonly media: FakeMedia;
  /** Lines that the companion logged. */
  readonly logged: string[];
  /** Connects a softphone, by default registered. */
  phone(login: string, options?: LabPhoneOptions): Promise<Softphone>;
  /** Orders a script for a leg, as the service does, and one for the connected leg. */
  run(leg: string, script: Script, other?: Script): Promise<Response>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface LabPhoneOptions
  extends Pick<SoftphoneOptions, "instance" | "headers" | "username"> {
  /** The Client's own unless given. */
  password?: string;
  register?: boolean;
}

export interface SipLabOptions {
  /** Route of audio between two plain phones: relayed by us or direct; `auto` unless given. */
  mediaRelay?: CompanionOptions["mediaRelay"];
  rtpTimeoutMs?: number;
  /** Pairs of RTP ports that tenants share; no bound unless given. */
  portPairs?: number;
  slowMedia?: boolean;
  /** Media in place of the fake ones. */
  engine?: MediaEngine;
  loadAudio?: LoadAudio;
  speaker?: Speaker;
  recogniser?: Recogniser;
  reconnectGraceMs?: number;
  sessionBounds?: SessionBounds;
  ussdBounds?: CompanionOptions["ussdBounds"];
  admission?: CompanionOptions["admission"];
  /** The domain that the companion is given; softphones always use `testDomain`. */
  sipDomain?: string;
  /** Ways in beside WebSocket. */
  transports?: TransportOptions;
  trustedSources?: string[];
  trustedProxies?: string[];
  iceServersOf?: CompanionOptions["iceServersOf"];
  isPublicAddress?: (address: string) => boolean;
  onListenerOver?: (error: Error) => void;
  reach?: CompanionOptions["reach"];
  sockets?: CompanionOptions["sockets"];
}

/** The Clients of every lab; the password is the login and `-secret`. */
const clients = ["alice", "bob", "carol"];

export async function startSipLab(options: SipLabOptions = {}): Promise<SipLab> {
  const service = startFakeService();
  for (const login of clients) service.addClient(login, `${login}-secret`);
  const media = fakeMedia({ slow: options.slowMedia ?? false });
  const logged: string[] = [];
  const phones: Softphone[] = [];
  const companion = await startCompanion({
    sipHost: "127.0.0.1",
    sipPort: 0,
    bridgeHost: "127.0.0.1",
    bridgePort: 0,
    serviceUrl: service.url,
    bridgeSecret: service.secret,
    sipDomain: options.sipDomain ?? testDomain,
    id: "lab",
    ...options.trustedSources && { trustedSources: options.trustedSources },
    ...options.trustedProxies && { trustedProxies: options.trustedProxies },
    ...options.iceServersOf && { iceServersOf: options.iceServersOf },
    ...options.isPublicAddress && { isPublicAddress: options.isPublicAddress },
    ...options.reach && { reach: options.reach },
    ...options.sockets && { sockets: options.sockets },
    ...options.onListenerOver && { onListenerOver: options.onListenerOver },
    ...options.mediaRelay && { mediaRelay: options.mediaRelay },
    ...options.rtpTimeoutMs && { rtpTimeoutMs: options.rtpTimeoutMs },
    ...options.portPairs && { portPairs: options.portPairs },
    ...options.transports && { transports: options.transports },
    ...options.admission && { admission: options.admission },
    reconnectGraceMs: options.reconnectGraceMs ?? 100,
    ...options.sessionBounds && { sessionBounds: options.sessionBounds },
    ...options.ussdBounds && { ussdBounds: options.ussdBounds },
    media: options.engine ?? media,
    ...options.recogniser && { recogniser: options.recogniser },
    ...options.speaker && { speaker: options.speaker },
    loadAudio: options.loadAudio ?? (() => Promise.resolve(new Int16Array(160))),
    log: (line, fields) => logged.push(`${line} ${JSON.stringify(fields ?? {})}`),
  });
  return {
    service,
    companion,
    media,
    logged,
    async phone(login, { register = true, ...options } = {}) {
      const phone = await openSoftphone({
        url: companion.sipUrl,
        login,
        password: `${login}-secret`,
        domain: testDomain,
        ...options,
      });
      phones.push(phone);
      if (!register) return phone;
      const { start, status } = await phone.register();
      if (status !== 200) throw new Error(`Cannot register ${login}: ${start}`);
      return phone;
    },
    run: (leg, script, other) =>
      service.order(companion.bridgeUrl, "/run", { leg, script, ...other && { other } }),
    async [Symbol.asyncDispose]() {
      service.outage = undefined;
      await companion.stop();
      await Promise.all(phones.map((phone) => phone.close()));
      await service[Symbol.asyncDispose]();
    },
  };
}

/** A test that fails, not hangs, when something it waits for never happens. */
export const sipTest = (name: string, fn: () => Promise<void>, timeout = 90_000): void =>
  Deno.test({ name, fn, timeout });

let legs = 0;

export const newLeg = (): string => `CA${(++legs).toString(16).padStart(32, "0")}`;

/** An invitation of a Client, from a number. */
export const invite = (login: string, leg = newLeg()): Invitation => ({
  leg,
  accountSid: `AC${"0".repeat(32)}`,
  from: "+15550001",
  to: `client:${login}`,
  target: { kind: "client", login },
});

/** A script that calls a Client. */
export const inviteScript = (invitation: Invitation, timeoutS = 30): Script => [
  { type: "invite", invitation, timeoutS },
];
