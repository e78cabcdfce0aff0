import { logSettings } from "./core/machine/configuration/log_variables.ts";
import { limitRoot } from "./core/account_limits/set_limits.ts";
import { ensureRoot } from "./core/accounts/ensure_root.ts";
import { closeLostCompanions } from "./core/reports/heartbeats.ts";
import { demoLogin, demoNumbers, makeDemo, moveDemo } from "./core/trials/demo.ts";
import { startLine } from "./core/machine/configuration/address_notes.ts";
import { type Config, readConfig } from "./core/machine/configuration/config.ts";
import { openCarriers } from "./core/machine/start/carriers.ts";
import {
  createFailure,
  fail,
  say,
  sayStarted,
  stopOnSignal,
  surviveBugs,
} from "./core/machine/process/process.ts";
import { log, setLog } from "./core/machine/process/log.ts";
import { bridgeSecretOf } from "./core/protocol/bridge_secret.ts";
import { type Platform, platformOf, wakeEachMinute } from "./core/machine/start/platform.ts";
import { type MigrationLines, migrationLines } from "./core/machine/start/migration_lines.ts";
import { portsOf, ratesOf } from "./core/machine/start/service_ports.ts";
import { handlers } from "./core/jobs/mod.ts";
import { examplePassword } from "./core/openapi/example_password.ts";
import { steadyNow } from "./core/base/steady_clock.ts";
import { stayAwake, systemClocks } from "./core/machine/process/clocks.ts";
import { limits } from "./core/base/limits.ts";
import { collectProcess } from "./core/metrics/registry.ts";
import { commits, storeFailures } from "./core/metrics/service_metrics.ts";
import { listenMetrics } from "./core/machine/net/listen_metrics.ts";
import { watchStore } from "./core/machine/start/watch_store.ts";
import { metricsRefresher } from "./core/machine/start/refresh_metrics.ts";
import { originFields } from "./core/base/origin.ts";
import type { Answer } from "./core/machine/net/http_server.ts";
import type { Ports } from "./core/model/ports/ports.ts";
import type { Account } from "./core/model/resources/accounts.ts";
import { removeOldRecords } from "./core/usage/remove_old.ts";
import { openStore, type Store } from "./kv/open_store.ts";
import { sealedStore } from "./kv/engines/sealed_store.ts";
import { protocolRoutes } from "./routes/protocol/routes.ts";
import { consolePages } from "./routes/console/console.tsx";
import { demo } from "./routes/demo.ts";
import { allParts, docs } from "./routes/docs/docs.ts";
import { home } from "./routes/docs/home.ts";
import { metrics } from "./routes/metrics.ts";
import { routes } from "./routes/mod.ts";
import { smsCarrier } from "./routes/sms_carrier.ts";
import { softphone } from "./routes/softphone.ts";

/** The service: REST interface, markup, jobs and the store. The only file that puts them together. */
export async function startService(config: Config, onListenerOver: (error: Error) => void) {
  const platform = await platformOf(config);
  const { location, files } = platform;
  const secretKey = await platform.secretKey(sealedStore(location));
  const bridgeSecret = bridgeSecretOf(await platform.bridgeSecret(), config.BRIDGE_SECRET_OTHER);
  const rates = await ratesOf(config);
  const lines = migrationLines(say, steadyNow);
  const awake = stayAwake();
  const store = await storeOf(config, location, { secretKey, lines, awakeNow: awake.now });

  const audio = platform.audio(store.audio);
  const ports = portsOf(config, { store, secretKey, bridgeSecret, audio, ...rates });
  const carriers = openCarriers(config, ports);
  const refresh = metricsRefresher(ports);
  const ask = (request: Request): Response | Promise<Response> => app.fetch(request);
  const hasConsole = config.CONSOLE;
  const parts = allParts.filter((name) => name !== "console" || hasConsole);
  const app: ReturnType<typeof routes> = routes(ports, {
    metrics: metrics({ token: config.METRICS_TOKEN, refresh }, ports),
    bridge: protocolRoutes(ports, bridgeSecret),
    demo: demo(),
    ...files && {
      docs: docs(files.documentation, ports, parts),
      softphone: softphone({ files: files.softphone, wsUrl: config.SIP_WS_URL, hasConsole }, ports),
      ...hasConsole && { console: consolePages({ files: files.console, ask }, ports) },
      "": home(ports, parts),
    },
    ...config.SMS_INBOUND_TOKEN && { sms: smsCarrier(ports, config.SMS_INBOUND_TOKEN) },
  });
  const { answer, open } = answerOnceOpen((request, arrival) => app.fetch(request, arrival));
  const server = await platform.listen(answer, onListenerOver);
  const { METRICS_HOST: hostname, METRICS_PORT: port } = config;
  const metering = await listenMetrics({ hostname, port, name: "METRICS_PORT", log }, refresh);
  watchStore(ports);
  const worker = await store.worker(handlers, ports);
  worker.start();
  if (config.EDGE) wakeEachMinute(worker.poke);
  const sweep = repeatSweep(ports, awake.now);
  const clocks = watchClock(store, worker.poke);
  await welcome(config, ports, { listened: server.address, platform });
  const removing = repeatRemoval(ports);
  const resealing = resealStore(store, config.SECRET_KEY_OTHER);
  const building = buildIndexes(store, lines);
  open();
  sayStarted();

  return {
    port: server.address.port,
    /** Finishes what is under way, then lets go of the store. */
    async stop() {
      clearInterval(sweep);
      clearInterval(clocks);
      await removing.stop();
      await resealing.stop();
      await building.stop();
      ports.changes.end();
      await server.shutdown();
      await worker.stop(3_000);
      await metering.shutdown();
      await carriers.stop();
      await store.settle();
      store.close();
      awake[Symbol.dispose]();
    },
  };
}

/** Requests wait until the root account and its credentials exist. */
function answerOnceOpen(answer: Answer): { answer: Answer; open(): void } {
  const opened = Promise.withResolvers<void>();
  return {
    async answer(request, arrival) {
      await opened.promise;
      return await answer(request, arrival);
    },
    open: opened.resolve,
  };
}

/** Opens the store; prints how far it is with the migration of one of a former version. */
async function storeOf(
  config: Config,
  location: string,
  { secretKey, lines, awakeNow }: {
    secretKey: string;
    lines: MigrationLines;
    awakeNow(): number;
  },
): Promise<Store> {
  const { KV_NARROW_INDEX: narrowsIndex, SECRET_KEY_OTHER: otherKey } = config;
  const { progress } = lines;
  const clocks = { ...systemClocks, awakeNow };
  const store = await openStore({
    location,
    secretKey,
    otherKey,
    ...clocks,
    log,
    narrowsIndex,
    progress,
    onCommit: (outcome, ms) => commits.observe({ outcome }, ms / 1_000),
    onStoreFailure: (kind) => storeFailures.inc({ kind }),
  });
  lines.over("Migrated the store");
  return store;
}

/** Builds the indexes that the store lacks, in the background. */
function buildIndexes(store: Store, lines: MigrationLines) {
  return inBackground(async (signal) => {
    await store.buildIndexes(signal);
    lines.over("Built the indexes of the store");
  }, "build the indexes of the store");
}

/** Seals with SECRET_KEY what SECRET_KEY_OTHER has sealed, in the background; logs the result. */
function resealStore(store: Store, otherKey: string) {
  return inBackground(async (signal) => {
    if (otherKey === "") return;
    const done = await store.reseal(signal);
    log("Sealed the secrets of the store with SECRET_KEY", { level: "info", ...done });
  }, "seal the secrets of the store");
}

/** Runs a task that `stop` interrupts; logs that it cannot do it when it fails. */
function inBackground(run: (signal: AbortSignal) => Promise<void>, what: string) {
  const stopping = new AbortController();
  const running = run(stopping.signal).catch((error) =>
    stopping.signal.aborted || log(`Cannot ${what}`, { error })
  );
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

/**
 * Closes the calls of lost companions every while; first lets companions say that they live, for as long
 * as this process runs.
 */
function repeatSweep(ports: Ports, awakeNow: () => number): ReturnType<typeof setInterval> {
  const startedAt = awakeNow();
  return setInterval(() => {
    if (awakeNow() - startedAt < limits.companionLostMs) return;
    closeLostCompanions(ports).catch((error) => log("Cannot sweep companions", { error }));
  }, limits.sweepMs);
}

/** Looks whether the wall clock was set: jobs that are due by date are then due at other times. */
function watchClock({ clock }: Store, poke: () => void): ReturnType<typeof setInterval> {
  return setInterval(async () => {
    const ms = await clock.look();
    if (ms === 0) return;
    log("The wall clock was set", { level: "warn", byMs: Math.round(ms) });
    poke();
  }, limits.clockLookMs);
}

/** Removes old records now and every while, one run at a time. */
function repeatRemoval(ports: Ports) {
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  const remove = () => {
    running ??= removeOldRecords(ports, stopping.signal)
      .catch((error) => log("Cannot remove old records", { error }))
      .finally(() => running = undefined);
  };
  const timer = setInterval(remove, limits.removeOldMs);
  remove();
  return {
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await running;
    },
  };
}

/** The address that a socket listens on. */
type Listened = Parameters<typeof startLine>[2];

/** Makes the root account of a new store, and prints how to begin. */
async function welcome(
  config: Config,
  ports: Ports,
  { listened, platform }: { listened: Listened; platform: Platform },
): Promise<void> {
  const { baseUrl } = ports.settings;
  const wsUrl = config.SIP_WS_URL;
  const { tokenPlace } = platform;
  say(startLine("REST interface", baseUrl, listened));
  const root = await rootOf(config, ports);
  await limitRoot(root, config, ports);
  const isNew = ports.now() - root.dateCreated < 60_000;
  if (config.DEMO && !config.EDGE) await demoFor(root, isNew, ports);
  const held = await ports.records.clients.holder("login", demoLogin);
  const demo = held?.accountSid === root.sid ? held : null;
  const credentials = {
    account_sid: root.sid,
    email: root.emailAddress,
    auth_token: root.authToken,
    base_url: baseUrl,
    sip_ws_url: wsUrl,
    ...demo && { demo_login: demo.login, demo_password: demo.password },
  };
  const isKept = await platform.keepCredentials(credentials);
  // Else an instance joins others, or starts again after a crash: its owner has begun.
  const isFirst = isNew && isKept;
  if (isFirst) say(`Root account: ${root.sid}. Its AuthToken is ${tokenPlace}`);
  if (platform.files && config.CONSOLE) {
    say(`Console: ${baseUrl}/console, as ${root.emailAddress} with the AuthToken`);
  }
  if (demo !== null) {
    say(`Softphone: ${baseUrl}/softphone, login ${demo.login}. Its password is ${tokenPlace}`);
    const numbers = await demoNumbers(ports);
    if (numbers.length > 0) {
      say(`  Call ${numbers.map(({ name, number }) => `${number} (${name})`).join(", ")}`);
    }
  }
  if (!isFirst) return;
  const password = examplePassword(config.CLIENT_PASSWORD_MIN);
  const api = `${baseUrl}/${limits.apiVersion}/Accounts/${root.sid}`;
  say(`
A first call, with the AuthToken in $AUTH_TOKEN:
  1. curl -u ${root.sid}:$AUTH_TOKEN ${api}/Clients.json -d Login=alice -d Password=${password}
  2. ${
    platform.files ? `Log in as alice at ${baseUrl}/softphone, or register` : "Register"
  } any SIP softphone
     as alice@${config.SIP_DOMAIN} over ${wsUrl}
  3. curl -u ${root.sid}:$AUTH_TOKEN ${api}/Calls.json \\
       -d From=welcome -d To=client:alice -d Url=${baseUrl}/demo/welcome
`);
}

/** What there is to try: made with the root account, and later kept where the service is. */
async function demoFor(root: Account, isNew: boolean, ports: Ports): Promise<void> {
  const length = Math.max(12, ports.settings.clientPasswordMin);
  const bytes = crypto.getRandomValues(new Uint8Array(length));
  const password = bytes.toHex().slice(0, length);
  if (isNew) await makeDemo(root.sid, password, ports);
  await moveDemo(root.sid, ports);
}

/** Made from ADMIN_EMAIL and ADMIN_PASSWORD on the first start. */
async function rootOf(config: Config, ports: Ports): Promise<Account> {
  const password = config.ADMIN_PASSWORD || crypto.getRandomValues(new Uint8Array(16)).toHex();
  const { ADMIN_EMAIL: emailAddress, ADMIN_AUTH_TOKEN: authToken } = config;
  return await ensureRoot({ emailAddress, password, ...authToken && { authToken } }, ports);
}

if (import.meta.main) {
  surviveBugs();
  try {
    const over = createFailure();
    const config = readConfig((name) => Deno.env.get(name));
    collectProcess(() => Deno.memoryUsage().rss);
    setLog({ process: "service", context: originFields, ...logSettings(config) });
    const service = await startService(config, over.fail);
    // The companion may stop at the same signal, and takes up to 9 s after DRAIN_S: its last reports
    // are taken. An edge platform ends the process without a word: the leases of its jobs expire.
    const patienceMs = config.DRAIN_S * 1_000 + 9_000;
    if (!config.EDGE) over.endBy(stopOnSignal(service.stop, 9_000, patienceMs));
  } catch (error) {
    fail(error);
  }
}
