import { endChild } from "../process/end_child.ts";
import { testDomain } from "./fake_service.ts";
import { sipTest } from "./sip_lab.ts";
import { eventually } from "../process/eventually.ts";
import { amplitudeOf, tone } from "../media/tone.ts";
import { pcmFile } from "../media/wav_file.ts";

/** A softphone that we did not write: it plays a tone in each call, and records what it receives. */
export interface ForeignPhone {
  /** Makes a call; it answers every call to it. */
  call(uri: string): Promise<void>;
  /** Resolves when it has received a tone for a quarter of a second, as loud as it was sent. */
  untilHears(hz: number): Promise<void>;
  /** Ends it: it hangs up. */
  stop(): Promise<void>;
  /** Ends it unless it has ended, and removes its files. */
  [Symbol.asyncDispose](): Promise<void>;
}

export interface ForeignPhoneOptions {
  login: string;
  /** Registrar as `address:port`; also its domain. */
  registrar: string;
  saysHz: number;
  /** UDP unless given. */
  transport?: "udp" | "tcp" | "tls";
  /** Requires SDES-SRTP; PJSUA2 and linphonec can. */
  isSecured?: boolean;
  /** Sends INVITE without an offer; PJSUA2 can. */
  offersLate?: boolean;
}

/** An implementation, and how its process is started. */
export interface ForeignPhoneKind {
  name: string;
  program: string;
  describe(options: ForeignPhoneOptions, files: PhoneFiles): Started | Promise<Started>;
}

interface PhoneFiles {
  directory: string;
  /** The WAV file that it plays. */
  plays: string;
  /** File with the audio that it receives: 16-bit samples at 8 kHz. */
  received: string;
}

interface Started {
  args: string[];
  env?: Record<string, string>;
  /** Lines for its standard input. */
  commands?: string[];
  /** The line that ends it, where the end of its standard input does not. */
  quit?: string;
}

const cache = Deno.env.get("SWITCHBOARD_PEERS") ??
  `${Deno.env.get("HOME") ?? "/root"}/.cache/switchboard-peers`;
const here = new URL("../peers/", import.meta.url).pathname;

/** The arguments of the phones in `tests/support/peers`. */
const argumentsOf = (
  { login, registrar, transport = "udp", isSecured, offersLate }: ForeignPhoneOptions,
  { plays, received }: PhoneFiles,
) => [
  ...[login, `${login}-secret`, registrar, plays, received, transport],
  ...isSecured ? ["srtp"] : [],
  ...offersLate ? ["late"] : [],
];

/** Phones that `.ci/peers` installs. */
export const foreignPhones: ForeignPhoneKind[] = [
  {
    name: "PJSUA2",
    program: `${cache}/pjsua2/bin/python`,
    describe: (options, files) => ({
      args: [`${here}pjsua2/phone.py`, ...argumentsOf(options, files)],
    }),
  },
  {
    name: "sipgo",
    program: `${cache}/diago`,
    describe: (options, files) => ({ args: argumentsOf(options, files) }),
  },
  { name: "linphonec", program: "/usr/bin/linphonec", describe: describeLinphonec },
];

/** Files take the place of its sound card; it writes a WAV header of 44 bytes first. */
async function describeLinphonec(
  options: ForeignPhoneOptions,
  { directory, plays, received }: PhoneFiles,
): Promise<Started> {
  await Deno.mkdir(`${directory}/.local/share/linphone`, { recursive: true });
  await Deno.writeTextFile(`${directory}/linphonerc`, linphonerc(options));
  return {
    args: ["-c", `${directory}/linphonerc`, "-a"],
    env: { HOME: directory },
    commands: [
      "soundcard use files",
      `play ${plays}`,
      `record ${received}`,
    ],
    quit: "terminate\nquit",
  };
}

/** Ports of -1 are free ones. */
const linphonerc = (
  { login, registrar, transport = "udp", isSecured = false }: ForeignPhoneOptions,
) => `
[sip]
sip_port=-1
sip_tcp_port=-1
sip_tls_port=-1
use_ipv6=0
default_proxy=0
verify_server_certs=0
verify_server_cn=0
${isSecured ? "media_encryption=srtp\nmedia_encryption_mandatory=1" : ""}
[rtp]
audio_rtp_port=-1
[proxy_0]
reg_proxy=<sip:${registrar};transport=${transport}>
reg_identity=sip:${login}@${registrar}
reg_expires=600
reg_sendregister=1
[auth_info_0]
username=${login}
passwd=${login}-secret
realm=${testDomain}
`;

/** A test with one of them. Without it the test is skipped, but fails where `CI` is set. */
export async function foreignPhoneTest(
  { program }: ForeignPhoneKind,
  name: string,
  body: () => Promise<void>,
): Promise<void> {
  const isThere = await Deno.stat(program).then((file) => file.isFile, () => false);
  if (isThere || Deno.env.get("CI") !== undefined) return sipTest(name, body);
  Deno.test({ name: `${name} (skipped: no ${program})`, ignore: true, fn: body });
}

/** Starts it; the password is the login and `-secret`. */
export async function startForeignPhone(
  kind: ForeignPhoneKind,
  options: ForeignPhoneOptions,
): Promise<ForeignPhone> {
  const directory = await Deno.makeTempDir();
  const files = { directory, plays: `${directory}/plays.wav`, received: `${directory}/received` };
  await Deno.writeFile(files.plays, pcmFile(tone(options.saysHz, 30)));
  const { args, env = {}, commands = [], quit } = await kind.describe(options, files);
  const output = Deno.env.has("PEER_LOG") ? "inherit" : "null";
  const child = new Deno.Command(kind.program, {
    args,
    env,
    stdin: "piped",
    stdout: output,
    stderr: output,
  }).spawn();
  const input = child.stdin.getWriter();
  const write = (line: string) => input.write(new TextEncoder().encode(`${line}\n`));
  for (const command of commands) await write(command);
  const stop = async () => {
    if (quit !== undefined) await write(quit).catch(() => {});
    await input.close().catch(() => {});
    const late = setTimeout(() => endChild(child, "SIGKILL"), 5_000);
    await child.status;
    clearTimeout(late);
  };
  return {
    call: (uri) => write(`call ${uri}`),
    stop,
    async untilHears(hz) {
      let levels: number[] = [];
      await eventually(
        () => `${options.login} hears ${hz} Hz, but at ${levels.map(Math.round)}`,
        async () => {
          levels = levelsOf(hz, await samplesOf(files.received));
          return levels.some((level) => Math.abs(level - 8_000) < 800);
        },
        20_000,
      );
    },
    async [Symbol.asyncDispose]() {
      await stop();
      await Deno.remove(directory, { recursive: true });
    },
  };
}

async function samplesOf(file: string): Promise<Int16Array> {
  const bytes = await Deno.readFile(file).catch(() => new Uint8Array());
  return new Int16Array(bytes.buffer, 0, bytes.length >> 1);
}

/** Levels of a tone in each quarter of a second. */
function levelsOf(hz: number, heard: Int16Array): number[] {
  const length = 2_000;
  return Array.from(
    { length: Math.floor(heard.length / length) },
    (_, i) => amplitudeOf(hz, heard.subarray(i * length, (i + 1) * length)),
  );
}
