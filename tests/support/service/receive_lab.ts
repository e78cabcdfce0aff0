import { ownSockets } from "../../../sip/media/server_socket/server_sockets.ts";
import { apart, type Credentials, type Report } from "../../../core/protocol/companion.ts";
import type { Script } from "../../../core/protocol/script.ts";
import type { AdmissionBounds } from "../../../sip/base/admission.ts";
import type { Authenticator } from "../../../sip/auth/authenticate.ts";
import type { Calls } from "../../../sip/contracts/calls.ts";
import { createCalls } from "../../../sip/script/create_calls.ts";
import { createCredentialsCache } from "../../../sip/auth/credentials.ts";
import { createNonces, digestHa1, digestResponse } from "../../../sip/text/digest.ts";
import type { Flow, Protocol } from "../../../sip/base/flow.ts";
import { onInvite, refuseAtOnce } from "../../../sip/script/invite.ts";
import { onMessage } from "../../../sip/script/receive_message.ts";
import { sipLimits } from "../../../sip/base/limits.ts";
import { createLockout } from "../../../sip/base/lockout.ts";
import { receive } from "../../../sip/leg/receive.ts";
import { onRegister } from "../../../sip/registrar/registrar.ts";
import { createSignalling } from "../../../sip/create_signalling.ts";
import type { Signalling } from "../../../sip/contracts/signalling.ts";
import { createTimers } from "../../../sip/base/timers.ts";
import { newIn } from "../sip/fake_service.ts";
import { fakeMedia } from "../media/fake_media.ts";
import { type FakeTime, fakeTime } from "../process/fake_time.ts";

/** All that receives SIP, put together in this process: no sockets, no service, no real time. */
export interface ReceiveLab {
  readonly signalling: Signalling;
  readonly calls: Calls;
  readonly authenticator: Authenticator;
  readonly time: FakeTime;
  readonly reports: Report[];
  /** Logins that the companion requested from the service. */
  readonly lookups: string[];
  readonly logged: string[];
  /** The script for a report that wants one. */
  answer: (report: Report) => Script | Promise<Script>;
  /** Holds the service's answers about logins back until it is called. */
  holdLookups(): () => void;
  /** Opens a connection, by default by WebSocket. */
  connect(host?: string, protocol?: Protocol): Connection;
  /** The header that proves a login for a method and URI; its password is the login. */
  proof(header: string, proving: Proving): string;
  /** Sizes of all state about peers, by name; all 0 when nothing is left of them. */
  kept(): Record<string, number>;
  [Symbol.dispose](): void;
}

/** Request that a proof is for, and its source address. */
export interface Proving {
  login: string;
  method: string;
  uri: string;
  host?: string;
}

/** The address of a phone, unless the test says otherwise. */
const phoneHost = "192.0.2.1";

/** A connection whose other end is the test. */
export interface Connection {
  readonly flow: Flow;
  readonly sent: string[];
  receive(text: string): void;
  /** The statuses of the responses sent so far. */
  statuses(): number[];
  close(): void;
}

/** Opens a lab, by default without bounds for unauthenticated sources. */
export function openReceiveLab(
  domain: string,
  admission: AdmissionBounds = { connectionsPerAddress: 0, unauthenticatedRequestsPerS: 0 },
): ReceiveLab {
  const time = fakeTime();
  const timers = createTimers();
  const logged: string[] = [];
  const lookups: string[] = [];
  const reports: Report[] = [];
  let held: Promise<void> = Promise.resolve();
  const log = (line: string, fields?: Record<string, unknown>) =>
    void logged.push(`${line} ${JSON.stringify(fields ?? {})}`);
  const signalling = createSignalling(domain, {
    timers,
    log,
    reconnectGraceMs: sipLimits.reconnectGraceMs,
    admission,
    sessionBounds: { expiresS: sipLimits.sessionExpiresS, minSeS: sipLimits.sessionExpiresMinS },
  });
  const link = {
    async credentials({ login }: { login: string }) {
      lookups.push(login);
      await held;
      return { credentials: login.startsWith("nobody") ? null : clientOf(domain, login) };
    },
    number: () => Promise.resolve({ number: null }),
    message: () => Promise.resolve({ status: 202 }),
    display: () => Promise.resolve({ status: 200 }),
    trunkMessage: () => Promise.resolve({ status: 202 }),
  };
  const authenticator: Authenticator = {
    realm: domain,
    nonces: createNonces(domain),
    lockout: createLockout(),
    location: signalling.location,
    credentials: createCredentialsCache(link),
    sha256Everywhere: false,
  };
  const never = new AbortController().signal;
  const calls = createCalls({
    companion: { id: "lab", runId: "run" },
    async requestScript(sent) {
      reports.push(...newIn(sent, reports));
      return await lab.answer(apart(sent));
    },
    sendEvent(make) {
      const sent = make();
      if (sent !== null) reports.push(...newIn(sent, reports));
      return Promise.resolve();
    },
    link: { trace: () => Promise.resolve({}) },
    signalling,
    stopping: never,
    stopped: never,
    media: fakeMedia(),
    sockets: ownSockets(() => null, { mayReach: () => false }),
    loadAudio: () => Promise.resolve(new Int16Array(160)),
    recordings: {
      open: () => {
        throw new Error("Nothing is recorded here");
      },
      change: () => false,
      drained: () => Promise.resolve(),
    },
    recogniser: null,
    speaker: null,
  });
  const failed = (error: unknown) => log("Cannot answer a request", { error: String(error) });
  const accepting = () => true;
  signalling.core.delegate = {
    onInvite: (request) =>
      void onInvite({ calls, link, authenticator, accepting }, request).catch(failed),
    onMessage: (request) =>
      void onMessage({ signalling, authenticator, link, accepting }, request).catch(failed),
  };
  signalling.refuseInvite = (message) =>
    refuseAtOnce({ signalling, authenticator, accepting }, message);
  signalling.onRegister = (message) =>
    void onRegister(signalling, authenticator, message)?.catch(failed);

  const lab: ReceiveLab = {
    signalling,
    calls,
    authenticator,
    time,
    reports,
    lookups,
    logged,
    answer: () => [],
    holdLookups() {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return resolve;
    },
    connect: (host = phoneHost, protocol = "WS") => connect(signalling, host, protocol),
    proof: (header, proving) => proof(authenticator, header, proving),
    kept: () => ({
      serverTransactions: signalling.core.userAgentServers.size,
      clientTransactions: signalling.core.userAgentClients.size,
      coreDialogs: signalling.core.dialogs.size,
      dialogs: signalling.dialogs.size,
      early: signalling.early.size,
      watchers: signalling.flowWatchers.size,
      registered: signalling.location.registered(),
      unsettled: calls.unsettled().length,
      timers: time.waiting(),
    }),
    [Symbol.dispose]() {
      timers.clear();
      signalling.core.reset();
      time[Symbol.dispose]();
    },
  };
  return lab;
}

function clientOf(realm: string, login: string): Credentials {
  const identity = { username: login, realm, password: login };
  return {
    accountSid: `AC${"0".repeat(32)}`,
    clientSid: `CL${"0".repeat(32)}`,
    ha1: { md5: digestHa1("MD5", identity), sha256: digestHa1("SHA-256", identity) },
    allowed: true,
  };
}

let connections = 0;

function connect(signalling: Signalling, host: string, protocol: Protocol): Connection {
  const sent: string[] = [];
  let closed = false;
  const flow: Flow = {
    id: `flow${++connections}`,
    remote: { host, port: 5060 },
    local: { sentBy: "lab.invalid", contact: "sip:switchboard@lab.invalid;transport=ws" },
    logins: new Set(),
    dialogs: 0,
    proven: new Set(),
    get closed() {
      return closed;
    },
    transport: {
      protocol,
      isClosed: () => closed,
      send(message) {
        if (closed) return Promise.reject(new Error("Cannot send: the connection is closed"));
        sent.push(message);
        return Promise.resolve();
      },
    },
    close: () => void (closed = true),
  };
  return {
    flow,
    sent,
    receive: (text) => receive(signalling, flow, text),
    statuses: () =>
      sent.map((message) => Number(/^SIP\/2\.0 (\d{3}) /.exec(message)?.[1]))
        .filter((status) => !Number.isNaN(status)),
    close() {
      closed = true;
      signalling.loseFlow(flow);
    },
  };
}

function proof(
  { realm, nonces }: Authenticator,
  header: string,
  { login, method, uri, host = phoneHost }: Proving,
): string {
  const [challenge = ""] = nonces.challenges("X", { stale: false, algorithms: ["MD5"], host });
  const nonce = /nonce="([^"]+)"/.exec(challenge)?.[1] ?? "";
  const parameters = { nonce, nc: "00000001", cnonce: "c", qop: "auth", uri };
  const ha1 = digestHa1("MD5", { username: login, realm, password: login });
  const response = digestResponse("MD5", { method, ha1 }, parameters);
  return `${header}: Digest username="${login}", realm="${realm}", nonce="${nonce}", ` +
    `uri="${uri}", response="${response}", algorithm=MD5, qop=auth, nc=00000001, cnonce="c"`;
}
