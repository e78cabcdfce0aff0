import assert from "node:assert/strict";
import type { Endpoint } from "../../sip/flow.ts";
import { readWav } from "../../sip/media/wav.ts";
import { sipTest } from "./sip_lab.ts";
import { amplitudeOf, tone } from "./tone.ts";
import { pcmFile } from "./wav_file.ts";

const BARESIP = Deno.env.get("BARESIP") ?? "/usr/bin/baresip";
const MODULES = Deno.env.get("BARESIP_MODULES") ?? "/usr/lib/baresip/modules";

const installed = await Deno.stat(BARESIP).then((file) => file.isFile, () => false);

/** A test with baresip as the softphone. Without one it is skipped, but fails where `CI` is set. */
export function baresipTest(name: string, body: () => Promise<void>): void {
  if (installed || Deno.env.get("CI") !== undefined) return sipTest(name, body);
  Deno.test({ name: `${name} (skipped: no baresip at ${BARESIP})`, ignore: true, fn: body });
}

export interface BaresipOptions {
  /** Its user part; a number where it is a carrier. */
  login: string;
  domain: string;
  transport: "udp" | "tcp";
  /** Where it registers; a carrier does not. */
  registrar?: Endpoint;
  /** The port where it takes calls; any that is free unless told. */
  port?: number;
  /** What it says all the time, in Hz; what it hears unless told. */
  saysHz?: number;
  /** Whom it calls as soon as it runs. */
  calls?: string;
}

/** baresip, which answers every call, with PCMU over plain RTP. */
export interface Baresip {
  /** Ends it; resolves with what it heard, at 8 kHz; full scale is 1. */
  stop(): Promise<Float32Array>;
  /** Ends it if nobody did, and takes its files away. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts it; the password is the login and `-secret`. */
export async function startBaresip(options: BaresipOptions): Promise<Baresip> {
  const directory = await Deno.makeTempDir();
  await Deno.writeTextFile(`${directory}/config`, config(directory, options));
  await Deno.writeTextFile(`${directory}/accounts`, account(options));
  const { saysHz, calls } = options;
  if (saysHz !== undefined) {
    await Deno.writeFile(`${directory}/says.wav`, pcmFile(tone(saysHz, 30)));
  }
  const child = new Deno.Command(BARESIP, {
    args: ["-f", directory, ...calls === undefined ? [] : ["-e", `/dial ${calls}`]],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  let ended: Promise<unknown> | undefined;
  const end = () => ended ??= (child.kill(), child.status);
  return {
    async stop() {
      await end();
      return await heard(directory);
    },
    async [Symbol.asyncDispose]() {
      await end();
      await Deno.remove(directory, { recursive: true });
    },
  };
}

/** Its microphone is a file, or its own loudspeaker; what it decodes is kept in a file. */
const config = (directory: string, { port = 0, saysHz, calls }: BaresipOptions) => `
sip_listen 127.0.0.1:${port}
rtp_ports 10000-20000
audio_source ${saysHz === undefined ? "aubridge,self" : `aufile,${directory}/says.wav`}
audio_player aubridge,self
snd_path ${directory}
module_path ${MODULES}
module g711.so
module aubridge.so
module aufile.so
module sndfile.so
module_app account.so
${calls === undefined ? "" : "module_app menu.so"}
`;

function account({ login, domain, transport, registrar }: BaresipOptions): string {
  const registration = registrar === undefined
    ? "regint=0"
    : `auth_user=${login};auth_pass=${login}-secret;regint=60;` +
      `outbound="sip:${registrar.host}:${registrar.port};transport=${transport}"`;
  return `<sip:${login}@${domain};transport=${transport}>;${registration};answermode=auto;` +
    "audio_codecs=PCMU/8000/1\n";
}

/** Whether a second of what was heard, shortly before its end, is a tone as loud as ours are. */
export function assertHeard(hz: number, heard: Float32Array): void {
  const second = heard.slice(heard.length - 10_000, heard.length - 2_000);
  const amplitude = amplitudeOf(hz, second) * 32_768;
  assert.ok(Math.abs(amplitude - 8_000) < 800, `heard ${hz} Hz with ${amplitude}`);
}

async function heard(directory: string): Promise<Float32Array> {
  for await (const { name } of Deno.readDir(directory)) {
    if (!name.endsWith("dec.wav")) continue;
    return readWav(await Deno.readFile(`${directory}/${name}`)).samples;
  }
  throw new Error("Cannot tell what baresip heard: it kept no file");
}
