import { openVoice, type Voice } from "../support/media/voice.ts";
import { eventually } from "../support/process/eventually.ts";
import { startSystem, type System } from "../support/process/system.ts";
import { startAppServer } from "../support/service/app_server.ts";
import { portOf } from "../support/sip/plain_peer.ts";
import type { PhoneDialog } from "../support/sip/softphone_dialog.ts";

/**
 * `deno task bench:memory`: memory and CPU time of live calls. CALLS (default 100) phones with
 * plain RTP are in an Echo, and speak. Memory is the resident memory of a process, garbage that was
 * not collected yet included; the least of ten looks a second apart counts.
 */

const calls = Number(Deno.env.get("CALLS") ?? 100);
const looks = 10;
const log = (line: string) => Deno.stdout.writeSync(new TextEncoder().encode(line + "\n"));

type Script = "main.ts" | "sip/main.ts" | "core/machine/adapters/speech/main.ts";
const scripts: Script[] = ["main.ts", "sip/main.ts", "core/machine/adapters/speech/main.ts"];

const stat = (system: System, script: Script, file: string): string =>
  Deno.readTextFileSync(`/proc/${system.pids(script)[0]}/${file}`);

const megabytes = (system: System, script: Script): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(stat(system, script, "status"))![1]) / 1_024;

const cpuSeconds = (system: System, script: Script): number => {
  const fields = stat(system, script, "stat").split(") ")[1]!.split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
};

interface Use {
  megabytes: number;
  /** Of one core, in per cent. */
  cpu: number;
}

/** Resources that each process uses over the next seconds. */
async function used(system: System): Promise<Record<Script, Use>> {
  const before = scripts.map((script) => cpuSeconds(system, script));
  const seen = scripts.map((): number[] => []);
  const startedAt = performance.now();
  for (let look = 1; look <= looks; look++) {
    await eventually("a second has passed", () => performance.now() - startedAt > look * 1_000);
    scripts.forEach((script, at) => seen[at]!.push(megabytes(system, script)));
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  const uses = scripts.map((script, at): [Script, Use] => [script, {
    megabytes: Math.min(...seen[at]!),
    cpu: (cpuSeconds(system, script) - before[at]!) / seconds * 100,
  }]);
  return Object.fromEntries(uses) as Record<Script, Use>;
}

await using app = startAppServer();
app.pages.set("/voice", "<Response><Echo/></Response>");
await using system = await startSystem({ env: { REQUESTS_PER_SECOND: "0" } });
await system.post("Clients.json", {
  Login: "bench",
  Password: "bench-secret",
  VoiceUrl: `${app.url}/voice`,
});
const phone = await system.phone("bench");

async function talk(): Promise<{ voice: Voice; dialog: PhoneDialog }> {
  const voice = await openVoice();
  const dialog = await phone.call("+15550009", { sdp: voice.sdp }).answered;
  voice.speakTo(portOf(dialog.remoteSdp));
  voice.say(600);
  return { voice, dialog };
}

// The first call loads what every call needs.
const first = await talk();
await first.dialog.bye();
await first.voice.close();
const idle = await used(system);
const live = [];
for (let n = 0; n < calls; n++) live.push(await talk());
const busy = await used(system);
log(`${calls} calls       idle MB  busy MB  kB a call  % of a core a call`);
for (const script of scripts) {
  const [before, after] = [idle[script], busy[script]];
  const cells = [
    before.megabytes.toFixed(0),
    after.megabytes.toFixed(0),
    ((after.megabytes - before.megabytes) * 1_024 / calls).toFixed(0),
    ((after.cpu - before.cpu) / calls).toFixed(3),
  ];
  log(
    script.replace(/.*\/(?=.*\/)/, "").padEnd(16) + cells.map((cell) => cell.padStart(9)).join(""),
  );
}
for (const { dialog, voice } of live) {
  await dialog.bye();
  await voice.close();
}
