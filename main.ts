import { logSettings } from "./core/configuration/log_variables.ts";
import { ensureRoot } from "./core/accounts/ensure_root.ts";
import { closeLostCompanions } from "./core/reports/heartbeats.ts";
import { demoLogin, demoNumbers, makeDemo, moveDemo } from "./core/demo/demo.ts";
import { startLine } from "./core/configuration/address_notes.ts";
import { type Config, readConfig } from "./core/configuration/config.ts";
import { openCarriers } from "./core/start/carriers.ts";
import {
  createFailure,
  fail,
  say,
  sayStarted,
  stopOnSignal,
  surviveBugs,
} from "./core/process/process.ts";
import { log, setLog } from "./core/process/log.ts";
import { bridgeSecretOf } from "./core/protocol/bridge_secret.ts";
import { ensureSecret } from "./core/process/secret_file.ts";
import { documentationFiles } from "./core/start/documentation_files.ts";
import { softphoneFiles } from "./core/start/softphone_files.ts";
import { listenRest } from "./core/start/rest_listener.ts";
import { type MigrationLines, migrationLines } from "./core/start/migration_lines.ts";
import { portsOf, ratesOf } from "./core/start/service_ports.ts";
import { handlers } from "./core/jobs/mod.ts";
import { examplePassword } from "./core/base/example_password.ts";
import { limits } from "./core/base/limits.ts";
import { originFields } from "./core/base/origin.ts";
import type { Ports } from "./core/ports/ports.ts";
import type { Account } from "./core/resources/accounts.ts";
import { removeOldRecords } from "./core/retention/remove_old.ts";
import { openStore, type Store } from "./kv/open_store.ts";
import { sealedStore } from "./kv/store/sealed_store.ts";
import { protocolRoutes } from "./routes/protocol/routes.ts";
import { demo } from "./routes/demo.ts";
import { docs } from "./routes/docs/docs.ts";
import { home } from "./routes/docs/home.ts";
import { routes } from "./routes/mod.ts";
import { smsCarrier } from "./routes/sms_carrier.ts";
import { softphone } from "./routes/softphone.ts";

/** The service: REST interface, markup, jobs and the store. The only file that puts them together. */
export async function startService(config: Config, onListenerOver: (error: Error) => void) {
  await Deno.mkdir(config.DATA_DIR, { recursive: true, mode: 0o700 }).catch((error) => {
    throw new Error(`Cannot use DATA_DIR ${config.DATA_DIR}: ${error.message}`);
  });
  const file = `${config.DATA_DIR}/switchboard.db`;
  const location = config.KV_URL || file;
  const { secretKey, bridgeSecret } = await secretsOf(config, location);
  const rates = await ratesOf(config);
  const now = () => Date.now();
  const lines = migrationLines(say, now);
  const store = await storeOf(config, location, { secretKey, lines });

  const ports = portsOf(config, { store, secretKey, bridgeSecret, ...rates });
  const carriers = openCarriers(config, ports);
  const app = routes(ports, {
    bridge: protocolRoutes(ports, bridgeSecret),
    demo: demo(),
    docs: docs(documentationFiles, ports),
    "": home(ports),
    ...config.SMS_INBOUND_TOKEN && { sms: smsCarrier(ports, config.SMS_INBOUND_TOKEN) },
    softphone: softphone({ files: softphoneFiles, wsUrl: config.SIP_WS_URL }, ports),
  });
  const opened = Promise.withResolvers<void>();
  const answer = async (request: Request) => {
    await opened.promise; // Requests wait until the root account and its credentials exist.
    return await app.fetch(request);
  };
  const server = await listenRest(config, answer, onListenerOver);
  const worker = await store.worker(handlers, ports);
  worker.start();
  const startedAt = now();
  const sweep = setInterval(() => {
    if (now() - startedAt < limits.companionLostMs) return; // Let companions say that they live.
    closeLostCompanions(ports).catch((error) => log("Cannot sweep companions", { error }));
  }, limits.sweepMs);
  await welcome(config, ports, server.address);
  const removing = repeatRemoval(ports);
  const resealing = resealStore(store, config.SECRET_KEY_OTHER);
  const building = buildIndexes(store, lines);
  opened.resolve();
  sayStarted();

  return {
    port: server.address.port,
    /** Finishes what is under way, then lets go of the store. */
    async stop() {
      clearInterval(sweep);
      await removing.stop();
      await resealing.stop();
      await building.stop();
      await server.shutdown();
      await worker.stop(3_000);
      await carriers.stop();
      store.close();
    },
  };
}

/** The secrets of the configuration, or those of files in DATA_DIR, which the first start makes. */
async function secretsOf(config: Config, location: string) {
  const { DATA_DIR, SECRET_KEY, BRIDGE_SECRET, BRIDGE_SECRET_OTHER } = config;
  const secretKey = SECRET_KEY ||
    await ensureSecret(`${DATA_DIR}/secret_key`, sealedStore(location));
  const bridgeSecret = BRIDGE_SECRET || await ensureSecret(`${DATA_DIR}/bridge_secret`);
  return { secretKey, bridgeSecret: bridgeSecretOf(bridgeSecret, BRIDGE_SECRET_OTHER) };
}

/** Opens the store; prints how far it is with the migration of one of a former version. */
async function storeOf(
  config: Config,
  location: string,
  { secretKey, lines }: { secretKey: string; lines: MigrationLines },
): Promise<Store> {
  const { KV_NARROW_INDEX: narrowsIndex, SECRET_KEY_OTHER: otherKey } = config;
  const now = () => Date.now();
  const { progress } = lines;
  const options = { location, secretKey, otherKey, now, log, narrowsIndex, progress };
  const store = await openStore(options);
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
async function welcome(config: Config, ports: Ports, listened: Listened): Promise<void> {
  const { baseUrl } = ports.settings;
  const wsUrl = config.SIP_WS_URL;
  const file = `${config.DATA_DIR}/credentials.json`;
  say(startLine("REST interface", baseUrl, listened));
  const root = await rootOf(config, ports);
  const isNew = ports.now() - root.dateCreated < 60_000;
  if (config.DEMO) await demoFor(root, isNew, ports);
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
  const isAgain = await Deno.stat(file).then(() => true, () => false);
  await Deno.writeTextFile(file, JSON.stringify(credentials, null, 2) + "\n", { mode: 0o600 });
  await Deno.chmod(file, 0o600); // It may have been there, with other rights.
  // An instance that joins others, or starts again after a crash: its owner has begun.
  const isFirst = isNew && !isAgain;
  if (isFirst) say(`Root account: ${root.sid}. Its AuthToken is in ${file}`);
  if (demo !== null) {
    say(`Softphone: ${baseUrl}/softphone, login ${demo.login}. Its password is in ${file}`);
    const numbers = await demoNumbers(ports);
    if (numbers.length > 0) {
      say(`  Call ${numbers.map(({ name, number }) => `${number} (${name})`).join(", ")}`);
    }
  }
  if (!isFirst) return;
  const password = examplePassword(config.CLIENT_PASSWORD_MIN);
  const api = `${baseUrl}/${limits.apiVersion}/Accounts/${root.sid}`;
  say(`
A first call, with auth_token of ${file} in $AUTH_TOKEN:
  1. curl -u ${root.sid}:$AUTH_TOKEN ${api}/Clients.json -d Login=alice -d Password=${password}
  2. Log in as alice at ${baseUrl}/softphone, or register any SIP softphone
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
  return await ensureRoot({ emailAddress: config.ADMIN_EMAIL, password }, ports);
}

if (import.meta.main) {
  surviveBugs();
  try {
    const over = createFailure();
    const config = readConfig((name) => Deno.env.get(name));
    setLog({ process: "service", context: originFields, ...logSettings(config) });
    const service = await startService(config, over.fail);
    // The companion may stop at the same signal, and takes up to 9 s after DRAIN_S: its last reports
    // are taken.
    over.endBy(stopOnSignal(service.stop, 9_000, config.DRAIN_S * 1_000 + 9_000));
  } catch (error) {
    fail(error);
  }
}
