import { readWav } from "../../sip/media/wav.ts";
import { sipTest } from "./sip_lab.ts";

const BARESIP = Deno.env.get("BARESIP") ?? "/usr/bin/baresip";
const MODULES = Deno.env.get("BARESIP_MODULES") ?? "/usr/lib/baresip/modules";

const installed = await Deno.stat(BARESIP).then((file) => file.isFile, () => false);

/** A test with baresip as the softphone. Without one it is skipped, but fails where `CI` is set. */
export function baresipTest(name: string, body: () => Promise<void>): void {
  if (installed || Deno.env.get("CI") !== undefined) return sipTest(name, body);
  Deno.test({ name: `${name} (skipped: no baresip at ${BARESIP})`, ignore: true, fn: body });
}

export interface BaresipOptions {
  login: string;
  domain: string;
  transport: "udp" | "tcp";
  registrar: { host: string; port: number };
}

/** baresip, registered as a Client and answering every call, with PCMU over plain RTP. */
export interface Baresip {
  /** Ends it; resolves with what it heard, at 8 kHz; full scale is 1. */
  stop(): Promise<Float32Array>;
  /** Ends it if nobody did, and takes its files away. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Starts it; the password is the login and `-secret`. */
export async function startBaresip(options: BaresipOptions): Promise<Baresip> {
  const directory = await Deno.makeTempDir();
  await Deno.writeTextFile(`${directory}/config`, config(directory));
  await Deno.writeTextFile(`${directory}/accounts`, account(options));
  const child = new Deno.Command(BARESIP, {
    args: ["-f", directory],
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

/** Its microphone is its own loudspeaker, and what it decodes is kept in a file. */
const config = (directory: string) => `
sip_listen 127.0.0.1:0
rtp_ports 10000-20000
audio_source aubridge,self
audio_player aubridge,self
snd_path ${directory}
module_path ${MODULES}
module g711.so
module aubridge.so
module sndfile.so
module_app account.so
`;

const account = ({ login, domain, transport, registrar: { host, port } }: BaresipOptions) =>
  `<sip:${login}@${domain};transport=${transport}>;auth_user=${login};auth_pass=${login}-secret;` +
  `outbound="sip:${host}:${port};transport=${transport}";answermode=auto;regint=60;` +
  "audio_codecs=PCMU/8000/1\n";

async function heard(directory: string): Promise<Float32Array> {
  for await (const { name } of Deno.readDir(directory)) {
    if (!name.endsWith("dec.wav")) continue;
    return readWav(await Deno.readFile(`${directory}/${name}`)).samples;
  }
  throw new Error("Cannot tell what baresip heard: it kept no file");
}
