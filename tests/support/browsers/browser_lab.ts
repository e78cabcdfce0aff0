import type { Browser } from "playwright-core";
import type { Script } from "../../../core/protocol/script.ts";
import { bindingsAnswer, type RegisteredBinding } from "../../../core/protocol/registrations.ts";
import { type Companion, startCompanion } from "../../../sip/companion.ts";
import type { CompanionOptions } from "../../../sip/companion_options.ts";
import { mediaEngine } from "../../../sip/media/engine/engine.ts";
import { webrtcTransport } from "../../../sip/media/webrtc/peer.ts";
import { ownSockets } from "../../../sip/media/webrtc/sockets.ts";
import {
  type BrowserAccount,
  type BrowserSoftphone,
  openBrowserSoftphone,
  type SoftphoneKind,
} from "./browser_softphone.ts";
import { chromiumTest } from "./chromium.ts";
import { type FakeService, startFakeService, testDomain } from "../sip/fake_service.ts";
import { invite } from "../sip/sip_lab.ts";
import { tone } from "../media/tone.ts";

/** A companion with real media, and softphones in a browser. */
export interface BrowserLab {
  service: FakeService;
  run(leg: string, script: Script): Promise<void>;
  /** A registered softphone of a Client. */
  phone(kind: SoftphoneKind, login: string): Promise<BrowserSoftphone>;
  bindings(login: string): Promise<RegisteredBinding[]>;
}

export interface BrowserLabOptions {
  companion?: Pick<CompanionOptions, "sessionBounds">;
  account?: Pick<BrowserAccount, "sessionExpiresS">;
}

/** A test with real softphones; any audio that is played is 1,200 Hz. */
export function softphoneTest(
  name: string,
  body: (lab: BrowserLab) => Promise<void>,
  options: BrowserLabOptions = {},
): void {
  chromiumTest(name, async (browser) => {
    await using service = startFakeService();
    const companion = await start(service, options);
    const phones: BrowserSoftphone[] = [];
    try {
      await body({
        service,
        async run(leg, script) {
          await service.order(companion.bridgeUrl, "/run", { leg, script });
        },
        async phone(kind, login) {
          const phone = await open(browser, kind, { service, companion, login, options });
          phones.push(phone);
          await phone.register();
          return phone;
        },
        async bindings(login) {
          const response = await service.order(companion.bridgeUrl, "/bindings", { login });
          return bindingsAnswer.parse(await response.json()).bindings;
        },
      });
      // While the phones are there to answer: BYE to one that is gone would be waited for.
      await companion.stop();
      await Promise.all(phones.map((phone) => phone.close()));
    } finally {
      await companion.stop();
    }
  });
}

const start = (service: FakeService, options: BrowserLabOptions) =>
  startCompanion({
    sipHost: "127.0.0.1",
    sipPort: 0,
    bridgeHost: "127.0.0.1",
    bridgePort: 0,
    serviceUrl: service.url,
    bridgeSecret: service.secret,
    sipDomain: testDomain,
    id: "lab",
    media: mediaEngine({
      transports: [webrtcTransport(ownSockets("127.0.0.1"))],
      log: () => {},
    }),
    loadAudio: () => Promise.resolve(tone(1_200, 0.5)),
    log: () => {},
    ...options.companion,
  });

function open(
  browser: Browser,
  kind: SoftphoneKind,
  { service, companion, login, options }: {
    service: FakeService;
    companion: Companion;
    login: string;
    options: BrowserLabOptions;
  },
): Promise<BrowserSoftphone> {
  service.addClient(login, `${login}-secret`);
  return openBrowserSoftphone(browser, kind, {
    login,
    password: `${login}-secret`,
    domain: testDomain,
    wsUrl: companion.sipUrl,
    ...options.account,
  });
}

type Dial = Extract<Script[number], { type: "dial" }>;

/**
 * Scripts of the service for calls between Clients by name. Calls are connected as `dialling` says,
 * transfers go to `carol`, and an INVITE with Replaces replaces the leg.
 */
export function putThrough(
  { service }: BrowserLab,
  dialling: Pick<Dial, "media" | "hangupOnStar">,
): void {
  const dial = (login: string, how: typeof dialling): Script => [
    { type: "dial", legs: [invite(login)], timeoutS: 20, timeLimitS: 60, ...how },
    { type: "hangup" },
  ];
  service.answer = ({ event }) => {
    if (event.type === "refer") return dial("carol", { media: "anchored" });
    if (event.type !== "incoming") return [];
    if (event.replaces !== undefined) return [{ type: "replace", leg: event.replaces }];
    return dial(/sip:(\w+)/.exec(event.uri)?.[1] ?? "", dialling);
  };
}

/** Both hear each other from now on. */
export async function hearEachOther(...phones: [BrowserSoftphone, BrowserSoftphone]) {
  await Promise.all(phones.map((phone) => phone.awaitAudio(25)));
}

/** One calls another, which answers; they hear each other. */
export async function connect(
  caller: BrowserSoftphone,
  callee: BrowserSoftphone,
  calleeName: string,
): Promise<void> {
  await caller.call(calleeName);
  await Promise.all([caller.waitFor("answered"), callee.waitFor("answered")]);
  await hearEachOther(caller, callee);
}
