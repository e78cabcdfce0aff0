import { createAbsentLogins } from "../../../core/companions/absent_logins.ts";
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { Hono } from "hono";
import { createAccount } from "../../../core/accounts/create_account.ts";
import type { Script } from "../../../core/protocol/script.ts";
import type { StreamRequest } from "../../../core/protocol/streams.ts";
import type { RecordingRequest } from "../../../core/protocol/recordings.ts";
import type { ConferenceOrder } from "../../../core/protocol/companion.ts";
import type { MessageOrder, OutwardOrder } from "../../../core/protocol/messages.ts";
import type { RegisteredBinding } from "../../../core/protocol/registrations.ts";
import type { AnyJobHandler } from "../../../core/model/ports/job_handler.ts";
import { handlers } from "../../../core/jobs/mod.ts";
import { createPairCap } from "../../../core/model/values/pair_cap.ts";
import { createLoopShares } from "../../../core/model/rest/loop_shares.ts";
import { openNumbers } from "../../../core/numbers/open_provider.ts";
import type { Ports } from "../../../core/model/ports/ports.ts";
import type { Account } from "../../../core/model/resources/accounts.ts";
import type { Email } from "../../../core/model/resources/emails.ts";
import { answerOf, requestOf } from "../../../core/base/outgoing.ts";
import { serverSigner } from "../../../core/machine/adapters/server_signature.ts";
import { readConfig } from "../../../core/machine/configuration/config.ts";
import { settingsOf } from "../../../core/machine/configuration/service_settings.ts";
import { withLayers } from "../../../core/machine/start/port_layers.ts";
import type { WriteObserver } from "../../../core/supervisor/counters.ts";
import { openStore, type Store } from "../../../kv/open_store.ts";
import type { Worker } from "../../../kv/jobs/worker.ts";
import { type Mounts, routes } from "../../../routes/mod.ts";
import { type ApiClient, apiClient } from "./api_client.ts";
import { type HandClock, handClock } from "./hand_clock.ts";
import { memoryBlobs } from "./memory_blobs.ts";
import { assertDescribedWebhook } from "./webhook_forms.ts";

/** Variables of the configuration of each app; all others have their defaults. */
const environment: Record<string, string> = {
  BASE_URL: "http://api.test",
  SIP_DOMAIN: "sip.test",
  SIP_PUBLIC_HOST: "sip.test",
  SIP_WS_URL: "wss://sip.test:8443",
  SIP_TLS_PORT: "5061",
  SIP_TLS_CERT: "cert.pem",
  SIP_TLS_KEY: "key.pem",
  ICE_SERVERS: "stun:turn.test:3478,turn:turn.test:3478?transport=tcp",
  TURN_SECRET: "a secret of the tests",
  REVISION: "f00d",
  READS_PER_SECOND: "0",
  WRITES_PER_SECOND: "0",
  STRICT_CALLER_ID: "false",
  NUMBER_MONTHLY_PRICE: "1.15",
  TRANSCRIPTION_PRICE: "0.05",
};
const config = readConfig((name) => environment[name]);

/** The real service on an in-memory store, with recorded outside effects and a hand-moved clock. */
export interface App {
  /** Moved by hand. */
  clock: HandClock;
  ports: Ports;
  http: Hono;
  /** Acts for itself on its own resources. */
  root: ApiClient;
  /** Scripts that were run on legs. */
  scripts: { leg: string; script: Script; other?: Script }[];
  /** Legs that were muted or heard again, and whether the companion has their media. */
  muted: { leg: string; muted: boolean }[];
  hasMedia: boolean;
  /** The devices that Clients have registered, by login. */
  registered: Map<string, RegisteredBinding[]>;
  /** The logins that the companion was ordered to forget. */
  forgotten: string[];
  /** Number of requests to the companion to fetch the Gateways. */
  gatewaysChanged: number;
  /** Levels of legs, in dBov. */
  readonly levels: Map<string, number>;
  /** Orders to conferences. */
  conferenceOrders: ConferenceOrder[];
  /** True when the companion has the conference and leg of an order. */
  knowsConference: boolean;
  /** Audio streams that were ordered of legs. */
  streamOrders: StreamRequest[];
  recordingOrders: RecordingRequest[];
  /** State of a companion that another could not reach. */
  companionLooks: "there" | "gone" | "silent";
  /** Messages that were to be sent to the devices of a Client. */
  messaged: MessageOrder[];
  /** Response of each registered device to a message; 200 unless set. */
  deviceAnswers: () => number;
  /** Messages that were to leave by trunks, and what those answer; 200 unless set. */
  sentOut: OutwardOrder[];
  trunkAnswers: () => number | null;
  /** The e-mails that were handed to the mail server. */
  mailed: Email[];
  /** Requests to customers' servers; `answers` answers them. */
  fetched: Request[];
  answers: (request: Request) => Response;
  /**
   * Parts of the sent webhooks that the OpenAPI document lacks; the test fails when it disposes the
   * app.
   */
  undescribed: string[];
  logged: { line: string; fields: Record<string, unknown> | undefined }[];
  /** Makes a sub-account and a client with its credentials. */
  subAccount(parent: ApiClient, name: string): Promise<ApiClient>;
  /** The worker of this instance, not started. */
  worker(kinds: AnyJobHandler[]): Promise<Worker>;
  /** Runs jobs until none is due. */
  runJobs(kinds?: AnyJobHandler[]): Promise<void>;
  /** Has the service notice that the wall clock was set. */
  lookAtClock(): Promise<number>;
  /** Resolves when the writes without a waiting caller are done. */
  settle(): Promise<void>;
  [Symbol.dispose](): void;
}

/** Deviations of a test from the default app: ports that replace the recorded ones. */
export interface AppOptions {
  ports?: Partial<Ports>;
  mounts?: (ports: Ports) => Mounts;
  /**
   * A store that is shared with others, and the number of this instance, which its Sids contain.
   */
  shared?: { location: string; instance: number };
  /** A store that the test opened. The root client is that of a new account of it. */
  opened?: Store;
  /** Gets calls and messages, as that of the service does. */
  observer?: WriteObserver;
  /** The test sends webhooks of its own, with parameters that the OpenAPI document does not have. */
  madeUpWebhooks?: boolean;
}

const start = Date.UTC(2024, 0, 31, 12);

/** Starts the service with a root account; nothing listens on a socket. */
export async function startApp(
  { ports: replaced = {}, mounts = () => ({}), shared, opened, observer, madeUpWebhooks = false }:
    AppOptions = {},
): Promise<App> {
  const clock = handClock(start);
  const now = () => clock.now;
  const steadyNow = () => clock.steady;
  const { location, instance } = shared ?? { location: ":memory:", instance: 0 };
  const store = opened ??
    await openStore({ location, secretKey: "test", now, steadyNow, freezesParts: true });
  const recorded: Pick<
    App,
    | "scripts"
    | "muted"
    | "levels"
    | "hasMedia"
    | "registered"
    | "forgotten"
    | "gatewaysChanged"
    | "conferenceOrders"
    | "knowsConference"
    | "streamOrders"
    | "recordingOrders"
    | "companionLooks"
    | "messaged"
    | "mailed"
    | "sentOut"
    | "trunkAnswers"
    | "fetched"
    | "undescribed"
    | "logged"
    | "answers"
    | "deviceAnswers"
  > = {
    scripts: [],
    muted: [],
    levels: new Map(),
    hasMedia: true,
    registered: new Map(),
    forgotten: [],
    gatewaysChanged: 0,
    conferenceOrders: [],
    knowsConference: true,
    streamOrders: [],
    recordingOrders: [],
    companionLooks: "silent",
    messaged: [],
    mailed: [],
    sentOut: [],
    trunkAnswers: () => 200,
    fetched: [],
    undescribed: [],
    logged: [],
    answers: () => new Response(),
    deviceAnswers: () => 200,
  };
  let made = instance * 2 ** 32;
  const ports: Ports = withLayers({
    records: store.records,
    accounts: store.accounts,
    companions: store.companions,
    jobs: store.jobs,
    store: store.overview,
    stock: store.stock,
    ledger: store.ledger,
    numbers: openNumbers,
    settings: {
      ...settingsOf(config, { rateMicros: () => 0, smsRateMicros: () => 0 }),
      instanceId: "test",
      configuration: [
        { name: "PORT", value: "8080", fallback: "8080", help: "Port of the REST interface." },
        { name: "SECRET_KEY", value: "********", fallback: "", help: "Key of secrets." },
      ],
    },
    messageRoutes: [],
    messagePairs: createPairCap(store.clock.steadyNow),
    mailer: {
      send: (email) => {
        recorded.mailed.push(email);
        return Promise.resolve([]);
      },
    },
    blobs: memoryBlobs(),
    sipTraces: store.sipTraces,
    cookies: store.cookies,
    changes: store.changes,
    locationSource: null,
    transcriber: null,
    loop: createLoopShares(),
    absentLogins: createAbsentLogins({ steadyNow: store.clock.steadyNow, isShared: false }),
    signer: serverSigner("test"),
    control: {
      bindings: (login) => Promise.resolve(app.registered.get(login) ?? []),
      run: (leg, script, { other } = {}) => {
        recorded.scripts.push({ leg, script, ...other && { other } });
        return Promise.resolve({ id: "companion", runId: "run" });
      },
      mute: (leg, muted) => {
        recorded.muted.push({ leg, muted });
        return Promise.resolve(app.hasMedia);
      },
      invalidate: (logins) => Promise.resolve(void recorded.forgotten.push(...logins)),
      message: (order) => {
        recorded.messaged.push(order);
        return Promise.resolve((app.registered.get(order.login) ?? []).map(app.deviceAnswers));
      },
      notification: () => Promise.resolve([200]),
      sendOut: (order) => {
        recorded.sentOut.push(order);
        return Promise.resolve({ status: app.trunkAnswers() });
      },
      gatewaysChanged: () => Promise.resolve(void recorded.gatewaysChanged++),
      conference: (order) => {
        recorded.conferenceOrders.push(order);
        return Promise.resolve(app.knowsConference);
      },
      recording: (order) => {
        recorded.recordingOrders.push(order);
        return Promise.resolve(app.hasMedia);
      },
      stream: (order) => {
        recorded.streamOrders.push(order);
        return Promise.resolve(app.hasMedia);
      },
      levels: ({ legs }) =>
        Promise.resolve(
          legs.flatMap((leg) => {
            const level = app.levels.get(leg);
            return level === undefined ? [] : [{ leg, level }];
          }),
        ),
      look: () => Promise.resolve(app.companionLooks),
      ready: () => Promise.resolve(true),
    },
    now,
    steadyNow: store.clock.steadyNow,
    newSid: (prefix) => {
      made++;
      return prefix + clock.now.toString(16).padStart(12, "0") +
        made.toString(16).padStart(20, "0");
    },
    async fetch(outgoing) {
      const request = requestOf(outgoing);
      recorded.fetched.push(request);
      await assertDescribedWebhook(request).catch(({ message }) =>
        recorded.undescribed.push(message)
      );
      return answerOf(app.answers(request));
    },
    deriveToken: (sid, password) =>
      Promise.resolve(createHash("md5").update(sid + password).digest("hex")),
    log: (line, fields) => recorded.logged.push({ line, fields }),
    ...replaced,
  }, observer);
  const http = routes(ports, mounts(ports)) as unknown as Hono;
  const clientOf = (account: Account) =>
    apiClient(http, { sid: account.sid, user: account.sid, token: account.authToken });

  const wanted = { emailAddress: "root@example.com", password: "root password" };
  const [known] = await ports.accounts.children("");
  const isNew = known === undefined || opened !== undefined;
  const root = clientOf(isNew ? await createAccount(known ?? null, wanted, ports) : known);
  const app: App = Object.assign(recorded, {
    clock,
    ports,
    http,
    root,
    async subAccount(parent: ApiClient, name: string) {
      const owner = await store.accounts.get(parent.sid);
      const wanted = { emailAddress: `${name}@example.com`, password: name };
      return clientOf(await createAccount(owner, wanted, ports));
    },
    worker: (kinds: AnyJobHandler[]) => store.worker(kinds, ports),
    lookAtClock: store.clock.look,
    settle: store.settle,
    async runJobs(kinds = handlers) {
      await (await store.worker(kinds, ports)).drain();
      await store.settle();
    },
    [Symbol.dispose]: () => {
      store.close();
      if (!madeUpWebhooks) assert.deepEqual(recorded.undescribed, []);
    },
  });
  return app;
}
