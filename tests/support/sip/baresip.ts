import type { Endpoint } from "../../../sip/base/flow.ts";
import { endChild } from "../process/end_child.ts";
import { sipTest } from "./sip_lab.ts";
import { eventually } from "../process/eventually.ts";
import { amplitudeOf, tone } from "../media/tone.ts";
import { pcmFile } from "../media/wav_file.ts";

const BARESIP = Deno.env.get("BARESIP") ?? "/usr/bin/baresip";
const MODULES = Deno.env.get("BARESIP_MODULES") ?? "/usr/lib/baresip/modules";

const installed = await Deno.stat(BARESIP).then((file) => file.isFile, () => false);

/** Reason for which a test with baresip is skipped; undefined when it runs. */
export const missingBaresip = installed || Deno.env.get("CI") !== undefined
  ? undefined
  : `no baresip at ${BARESIP}`;

/** A test with baresip as the softphone. Without one it is skipped, but fails where `CI` is set. */
export function baresipTest(name: string, body: () => Promise<void>): void {
  if (missingBaresip === undefined) return sipTest(name, body, 240_000);
  Deno.test({ name: `${name} (skipped: ${missingBaresip})`, ignore: true, fn: body });
}

export interface BaresipOptions {
  /** Its user part; a number where it is a carrier. */
  login: string;
  domain: string;
  transport: "udp" | "tcp" | "tls";
  /** Mandatory encryption of its audio. Default: none. */
  secures?: "srtp-mand" | "dtls_srtp";
  /** Registrar; a carrier has none. */
  registrar?: Endpoint;
  /** The port where it takes calls; any free one unless given. */
  port?: number;
  /** Tone that it sends all the time, in Hz. Default: an echo of the audio that it receives. */
  saysHz?: number;
  /** Place in which it runs: the command in front of it, and its address. */
  place?: { command: readonly string[]; address: string };
  /** URI that it calls on start. */
  calls?: string;
}

/** baresip, which answers every call, with PCMU over plain RTP. */
export interface Baresip {
  /** Resolves when it has heard a tone for a quarter of a second, as loud as ours are. */
  untilHears(hz: number): Promise<void>;
  /** Ends it: it hangs up. */
  stop(): Promise<void>;
  /** Ends it if it still runs, and removes its files. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts it; the password is the login and `-secret`. */
export async function startBaresip(options: BaresipOptions): Promise<Baresip> {
  const directory = await Deno.makeTempDir();
  await Deno.writeTextFile(`${directory}/config`, config(directory, options));
  await Deno.writeTextFile(`${directory}/accounts`, account(options));
  const { saysHz, calls, place } = options;
  if (saysHz !== undefined) {
    await Deno.writeFile(`${directory}/says.wav`, pcmFile(tone(saysHz, 30)));
  }
  const output = Deno.env.has("PEER_LOG") ? "inherit" : "null";
  const [program, ...before] = [...place?.command ?? [], BARESIP];
  const child = new Deno.Command(program!, {
    args: [...before, "-f", directory, ...calls === undefined ? [] : ["-e", `/dial ${calls}`]],
    stdin: "null",
    stdout: output,
    stderr: output,
  }).spawn();
  const stop = () => endChild(child);
  return {
    stop,
    async untilHears(hz) {
      let levels: number[] = [];
      await eventually(
        () => `${options.login} hears ${hz} Hz, but at ${levels.map(Math.round)}`,
        async () => {
          levels = levelsOf(hz, await heardSoFar(directory));
          return levels.some((level) => Math.abs(level - 8_000) < 800);
        },
      );
    },
    async [Symbol.asyncDispose]() {
      await stop();
      await Deno.remove(directory, { recursive: true });
    },
  };
}

/** Its microphone is a file, or its own loudspeaker; a file records its decoded audio. */
const config = (directory: string, { port = 0, place, saysHz, calls }: BaresipOptions) => `
sip_listen ${place?.address ?? "127.0.0.1"}:${port}
rtp_ports 10000-20000
audio_source ${saysHz === undefined ? "aubridge,self" : `aufile,${directory}/says.wav`}
audio_player aubridge,self
snd_path ${directory}
module_path ${MODULES}
module g711.so
module aubridge.so
module aufile.so
module sndfile.so
module srtp.so
module dtls_srtp.so
module_app account.so
${calls === undefined ? "" : "module_app menu.so"}
`;

function account({ login, domain, transport, registrar, secures }: BaresipOptions): string {
  const registration = registrar === undefined
    ? "regint=0"
    : `auth_user=${login};auth_pass=${login}-secret;regint=60;` +
      `outbound="sip:${registrar.host}:${registrar.port};transport=${transport}"`;
  return `<sip:${login}@${domain};transport=${transport}>;${registration};answermode=auto;` +
    `audio_codecs=PCMU/8000/1${secures === undefined ? "" : `;mediaenc=${secures}`}\n`;
}

/** Levels of a tone in each quarter of a second. */
function levelsOf(hz: number, heard: Int16Array): number[] {
  const length = 2_000;
  return Array.from(
    { length: Math.floor(heard.length / length) },
    (_, i) => amplitudeOf(hz, heard.subarray(i * length, (i + 1) * length)),
  );
}

/** Decoded audio, at 8 kHz. The header of 44 bytes has the length only after the call. */
async function heardSoFar(directory: string): Promise<Int16Array> {
  for await (const { name } of Deno.readDir(directory)) {
    if (!name.endsWith("dec.wav")) continue;
    const samples = (await Deno.readFile(`${directory}/${name}`)).slice(44);
    return new Int16Array(samples.buffer, 0, samples.length >> 1);
  }
  return new Int16Array();
}
