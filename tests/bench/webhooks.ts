import { createAccount } from "../../core/accounts/create_account.ts";
import { readConfig } from "../../core/machine/configuration/config.ts";
import { portsOf } from "../../core/machine/start/service_ports.ts";
import { deliverWebhookHandler } from "../../core/jobs/deliver_webhook.ts";
import { deliverWebhook } from "../../core/webhooks/deliver.ts";
import { limits } from "../../core/base/limits.ts";
import { notification } from "../../core/webhooks/notify.ts";
import { requestOf } from "../../core/base/outgoing.ts";
import { signedRequest } from "../../core/base/signature.ts";
import { runtimeFlags } from "../../core/machine/start/programs.ts";
import { openStore } from "../../kv/open_store.ts";
import { clock, type Order, type Reply } from "./receivers.ts";

/**
 * `deno task bench:webhooks`: deliveries a second to one quick server, each committed with a record
 * that causes it. Then the delay from there to nine quick servers, alone and while a tenth hangs.
 * Beside each, in the same run, KV's own queue: enqueued with the same record, listened to, sent
 * with the same signed request. All with the flags of the service, and warmed up first; the two
 * deliver in turn.
 */

const burst = 3_000;
/** Bursts of each that do not count: V8 compiles meanwhile. */
const warmups = 12;
const turns = 5;
const perSecond = 200;
const seconds = 10;

interface Webhook {
  url: string;
  params: Record<string, string>;
}

/** A way to have webhooks sent. */
interface Sender extends AsyncDisposable {
  name: string;
  /** Commits one with its cause. */
  send(webhook: Webhook): Promise<void>;
}

const log = (line: string) => Deno.stdout.writeSync(new TextEncoder().encode(line + "\n"));

async function ourQueue(): Promise<Sender> {
  const directory = await Deno.makeTempDir();
  const env: Record<string, string> = { DATA_DIR: directory, ALLOW_PRIVATE_URLS: "true" };
  const config = readConfig((name) => env[name]);
  const location = `${directory}/bench.db`;
  const store = await openStore({ location, secretKey: "bench", now: Date.now });
  const free = () => 0;
  const rates = { rateMicros: free, smsRateMicros: free };
  const secrets = { secretKey: "bench", bridgeSecret: "bench" };
  const parts = { store, ...secrets, audio: store.audio, ...rates };
  const ports = portsOf(config, parts);
  const wanted = { emailAddress: "bench@example.com", password: "bench" };
  const { sid: accountSid } = await createAccount(null, wanted, ports);
  const worker = await store.worker([deliverWebhookHandler], ports);
  worker.start();
  return {
    name: "Switchboard",
    async send({ url, params }) {
      const cause = {
        accountSid,
        callSid: null,
        fault: "noRoute",
        detail: "",
        level: "error",
      } as const;
      const { record } = notification(cause, ports);
      const webhook = { accountSid, callSid: null, url, method: "POST", params } as const;
      await ports.records.notifications.insert({ record, jobs: [deliverWebhook(webhook)] });
    },
    async [Symbol.asyncDispose]() {
      await worker.stop(0);
      store.close();
      await Deno.remove(directory, { recursive: true });
    },
  };
}

async function builtInQueue(): Promise<Sender> {
  const directory = await Deno.makeTempDir();
  const kv = await Deno.openKv(`${directory}/bench.db`);
  const stopping = new AbortController();
  kv.listenQueue(async ({ url, params }: Webhook) => {
    const timeout = AbortSignal.timeout(limits.callbackTimeoutMs);
    const signal = AbortSignal.any([timeout, stopping.signal]);
    const options = { authToken: "bench", now: Date.now(), signal };
    try {
      const response = await fetch(
        requestOf(signedRequest({ url, params, method: "POST" }, options)),
      );
      await response.body?.cancel();
    } catch {
      // It would be tried again after the bench.
    }
  }).catch(() => {});
  return {
    name: "KV's own queue",
    async send(webhook) {
      const record = { ...webhook, cause: "x".repeat(500) };
      await kv.atomic().set(["cause", crypto.randomUUID()], record).enqueue(webhook).commit();
    },
    async [Symbol.asyncDispose]() {
      stopping.abort();
      kv.close();
      await Deno.remove(directory, { recursive: true });
    },
  };
}

const receivers = new Worker(new URL("./receivers.ts", import.meta.url), { type: "module" });

async function order(sent: Order): Promise<Reply> {
  const { promise, resolve } = Promise.withResolvers<Reply>();
  receivers.onmessage = ({ data }: MessageEvent<Reply>) => resolve(data);
  receivers.postMessage(sent);
  return await promise;
}

const open = async (count: number, hangs = false) => {
  const reply = await order({ open: count, hangs });
  return "urls" in reply ? reply.urls : [];
};

/** Waits until the quick servers have had so many requests; their delays in ms, sorted. */
async function arrived(count: number, { from }: { from: number }): Promise<number[]> {
  const until = clock() + 60_000;
  for (;;) {
    const reply = await order("count");
    const counts = "counts" in reply ? reply.counts.slice(from) : [];
    const come = counts.reduce((sum, one) => sum + one, 0);
    if (come >= count) break;
    if (clock() > until) throw new Error(`${come} of ${count} came in a minute`);
    await new Promise((wake) => setTimeout(wake, 5));
  }
  const reply = await order("collect");
  const delays = "delays" in reply ? reply.delays.slice(from).flat() : [];
  return delays.sort((a, b) => a - b);
}

const params = () => ({
  At: String(clock()),
  CallSid: "CA" + "0".repeat(32),
  AccountSid: "AC" + "0".repeat(32),
  From: "+15550001",
  To: "client:alice",
  CallStatus: "completed",
  Direction: "outbound-api",
  SequenceNumber: "3",
});

interface Throughput {
  name: string;
  /** Deliveries a second when many are caused at once. */
  delivered: number;
  /** Webhooks caused per second meanwhile. */
  caused: number;
}

async function throughput(make: () => Promise<Sender>): Promise<Throughput> {
  await using sender = await make();
  const [url] = await open(1) as [string];
  const startedAt = clock();
  let left = burst;
  await Promise.all(Array.from({ length: 64 }, async () => {
    while (left-- > 0) await sender.send({ url, params: params() });
  }));
  const caused = clock() - startedAt;
  await arrived(burst, { from: 0 });
  const rate = (ms: number) => burst * 1_000 / ms;
  return { name: sender.name, delivered: rate(clock() - startedAt), caused: rate(caused) };
}

/** Both in turn; the ratio of what they deliver, turn by turn. */
async function throughputs(): Promise<void> {
  for (let turn = 0; turn < warmups; turn++) {
    for (const make of makers) await throughput(make);
  }
  const ratios: number[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const [ours, builtIn] = [await throughput(ourQueue), await throughput(builtInQueue)];
    for (const { name, delivered, caused } of [ours, builtIn]) {
      const rate = (value: number) => `${value.toFixed(0).padStart(6)}/s`;
      log(`  ${name.padEnd(16)} ${rate(delivered)} delivered, ${rate(caused)} caused meanwhile`);
    }
    ratios.push(ours.delivered / builtIn.delivered);
  }
  const median = ratios.toSorted((a, b) => a - b)[turns >> 1]!; // `turns` is odd.
  const all = ratios.map((ratio) => ratio.toFixed(2)).join(", ");
  log(`  ratios           ${all}; median ${median.toFixed(2)}`);
}

/** Delays of nine quick servers under a constant load of ten. */
async function delays(make: () => Promise<Sender>, hangs: boolean): Promise<void> {
  await using sender = await make();
  const urls = await open(10, hangs);
  const count = perSecond * seconds;
  const startedAt = clock();
  const sent: Promise<void>[] = [];
  for (let n = 0; n < count; n++) {
    const wait = startedAt + n * 1_000 / perSecond - clock();
    if (wait > 0) await new Promise((wake) => setTimeout(wake, wait));
    sent.push(sender.send({ url: urls[n % urls.length]!, params: params() }));
  }
  await Promise.all(sent);
  const found = await arrived(count * 0.9, { from: 1 });
  const at = (part: number) => `${found[Math.floor(found.length * part)]!.toFixed(1)} ms`;
  const when = hangs ? "one of ten hangs" : "all are quick";
  log(
    `  ${sender.name.padEnd(16)} ${when.padEnd(17)} p50 ${at(0.5)}, p99 ${at(0.99)}, max ${
      at(0.9999)
    }`,
  );
}

if (!Deno.args.includes("measured")) {
  const args = ["run", "-A", "--quiet", ...runtimeFlags.service, import.meta.filename!, "measured"];
  const { code } = await new Deno.Command(Deno.execPath(), { args }).spawn()
    .status;
  Deno.exit(code);
}
const makers = [ourQueue, builtInQueue];
log(`${burst} webhooks to one quick server, caused 64 wide`);
await throughputs();
log(`delay of nine quick servers, ${perSecond} webhooks a second to ten for ${seconds} s`);
for (const make of makers) for (const hangs of [false, true]) await delays(make, hangs);
Deno.exit(0);
