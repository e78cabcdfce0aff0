import {
  apart,
  type Credentials,
  type Heartbeat,
  type Report,
  type SentReport,
} from "../../../core/protocol/companion.ts";
import type { Disconnection } from "../../../core/protocol/disconnection.ts";
import type { LegEvent } from "../../../core/protocol/events.ts";
import type { RecordingPart } from "../../../core/protocol/recordings.ts";
import type { PresenceChanges } from "../../../core/protocol/registrations.ts";
import { type ServiceRequests, serviceRequests } from "../../../core/protocol/requests.ts";
import type { Script } from "../../../core/protocol/script.ts";
import { writeSealed } from "../../../core/protocol/seal.ts";
import { type HandlersOf, serveRequests } from "../../../core/protocol/serve.ts";
import { signatureHeader, signRequest } from "../../../core/protocol/signature.ts";
import type { GatewayReport } from "../../../core/protocol/trunks.ts";
import { type FakeTrunks, fakeTrunks, trunkHandlers } from "./fake_trunks.ts";
import { digestHa1 } from "../../../sip/text/digest.ts";

/** The service as the companion sees it: has passwords, takes reports, answers with scripts. */
export interface FakeService {
  readonly url: string;
  readonly secret: string;
  /** Reports acknowledged so far, repeats included. */
  readonly reports: Report[];
  /** Side that ended each leg: apart from its report, as few tests compare both. */
  disconnectionOf(leg: string): Promise<Disconnection>;
  readonly heartbeats: Heartbeat[];
  /** Changes of presence that companions reported. */
  readonly presence: PresenceChanges[];
  /** Returns whether the service has the changes before these. */
  knows: (news: PresenceChanges) => boolean;
  /** True when it requests the whole presence in its responses to heartbeats. */
  wantsPresence: boolean;
  /** The first changes of presence, past or to come, that match. */
  told(matches: (news: PresenceChanges) => boolean): Promise<PresenceChanges>;
  /** Trunks of the service. */
  readonly trunks: FakeTrunks;
  /** The first report of a Gateway, past or to come, that fits. */
  gatewayTold(matches: (report: GatewayReport) => boolean): Promise<GatewayReport>;
  /** Parts of recordings acknowledged so far, repeats included. */
  readonly parts: RecordingPart[];
  /** Returns whether it accepts a part; all are accepted unless set. */
  wantsPart: (part: RecordingPart) => boolean;
  /** The first part, past or to come, that fits. */
  part(matches: (part: RecordingPart) => boolean): Promise<RecordingPart>;
  /** Requested logins. */
  readonly lookups: string[];
  readonly credentials: Map<string, Credentials>;
  /** The script for a report that wants one; empty unless set. */
  answer: (report: Report) => Script | Promise<Script>;
  /** A status to refuse all requests with, as when the service is down. */
  outage: number | undefined;
  /** Resolves when a request was refused by the outage. */
  outageFelt(): Promise<void>;
  /** The first heartbeat, past or to come, that fits. */
  beat(matches: (beat: Heartbeat) => boolean): Promise<Heartbeat>;
  /** The first report, past or to come, that fits. */
  reported(matches: (report: Report) => boolean): Promise<Report>;
  /** The first event of this type, past or to come, of this leg or of any. */
  event<T extends LegEvent["type"]>(
    type: T,
    leg?: string,
  ): Promise<Report & { event: Extract<LegEvent, { type: T }> }>;
  addClient(login: string, password: string): Credentials;
  /** A signed order to the companion. */
  order(bridgeUrl: string, path: string, content: unknown): Promise<Response>;
  [Symbol.asyncDispose](): Promise<void>;
}

export const testDomain = "sip.test";

export function startFakeService(secret = "bridge secret for tests"): FakeService {
  const { first, look } = searches();
  const disconnections = new Map<string, Disconnection>();
  let refused = 0;
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, serve);

  async function serve(request: Request): Promise<Response> {
    if (service.outage === undefined) {
      try {
        return await answer(request);
      } finally {
        look();
      }
    }
    refused++;
    look();
    return new Response(null, { status: service.outage });
  }

  const service: FakeService = {
    url: `http://127.0.0.1:${server.addr.port}`,
    secret,
    reports: [],
    disconnectionOf: (leg) => first(() => disconnections.get(leg)),
    heartbeats: [],
    presence: [],
    knows: () => true,
    wantsPresence: false,
    told: (matches) => first(() => service.presence.find(matches)),
    trunks: fakeTrunks(),
    gatewayTold: (matches) => first(() => service.trunks.reports.find(matches)),
    parts: [],
    wantsPart: () => true,
    part: (matches) => first(() => service.parts.find(matches)),
    lookups: [],
    credentials: new Map(),
    answer: () => [],
    outage: undefined,
    outageFelt: () => first(() => refused > 0 || undefined).then(() => {}),
    beat: (matches) => first(() => service.heartbeats.find(matches)),
    reported: (matches) => first(() => service.reports.find(matches)),
    event: (type, leg) =>
      service.reported((one) =>
        one.event.type === type && (leg === undefined || one.leg === leg)
      ) as never,
    addClient: (login, password) => addClient(service, login, password),
    order: (bridgeUrl, path, content) => order(secret, new URL(path, bridgeUrl), content),
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
  const answer = serveRequests({
    requests: serviceRequests,
    handlers: handlersOf(service, disconnections),
    secret,
    now: Date.now,
  });
  return service;
}

function handlersOf(
  service: FakeService,
  disconnections: Map<string, Disconnection>,
): HandlersOf<ServiceRequests> {
  const withoutDisconnection = (report: Report): Report => {
    if (report.event.type !== "ended") return report;
    const { disconnection, ...event } = report.event;
    if (disconnection !== undefined) disconnections.set(report.leg, disconnection);
    return { ...report, event };
  };
  return {
    ...trunkHandlers(service.trunks),
    credentials({ login }) {
      service.lookups.push(login);
      return { credentials: service.credentials.get(login) ?? null };
    },
    heartbeat(beat) {
      service.heartbeats.push(beat);
      return { wantsPresence: service.wantsPresence };
    },
    presence(news) {
      service.presence.push(news);
      return { isKnown: service.knows(news) };
    },
    recordingPart(part) {
      service.parts.push(part);
      return { isWanted: service.wantsPart(part) };
    },
    trace: () => ({}),
    message: () => ({ status: 202 }),
    display: () => ({ status: 200 }),
    events({ reports }) {
      for (const report of reports) {
        service.reports.push(...newIn(report, service.reports).map(withoutDisconnection));
      }
      return { outcomes: reports.map(() => "taken" as const) };
    },
    async scripts({ reports }, { send }) {
      for (const report of reports) service.reports.push(...newIn(report, service.reports));
      await Promise.all(reports.map(async (report, at) => {
        send({ at, outcome: "taken", script: await service.answer(apart(report)) });
      }));
    },
  };
}

/** The new reports of those that were sent together, each by itself. */
export function newIn(sent: SentReport, known: Report[]): Report[] {
  const { earlier = [], ...report } = apart(sent);
  const isKnown = (seq: number) => known.some((one) => one.leg === report.leg && one.seq === seq);
  const before = earlier.filter(({ seq }) => !isKnown(seq));
  return [...before.map((one) => ({ ...report, ...one, wantsScript: false })), report];
}

/** Searches that are done again whenever there is something new, until they find. */
function searches() {
  const open = new Set<() => void>();
  const look = () => open.forEach((check) => check());
  const first = <T>(search: () => T | undefined): Promise<T> => {
    const { promise, resolve } = Promise.withResolvers<T>();
    const check = () => {
      const found = search();
      if (found === undefined) return;
      open.delete(check);
      resolve(found);
    };
    open.add(check);
    check();
    return promise;
  };
  return { first, look };
}

function addClient(service: FakeService, login: string, password: string): Credentials {
  const identity = { username: login, realm: testDomain, password };
  const added: Credentials = {
    accountSid: `AC${"0".repeat(32)}`,
    clientSid: `CL${"0".repeat(32)}`,
    ha1: { md5: digestHa1("MD5", identity), sha256: digestHa1("SHA-256", identity) },
    allowed: true,
  };
  service.credentials.set(login, added);
  return added;
}

async function order(secret: string, url: URL, content: unknown): Promise<Response> {
  const body = writeSealed(secret, content);
  const request = { at: Date.now(), method: "POST", path: url.pathname, body };
  const headers = { [signatureHeader]: signRequest(secret, request) };
  return await fetch(url, { method: "POST", headers, body });
}
