import { espeakFolder } from "../adapters/espeak_package/load_espeak.ts";
import { LIBC_PATHS } from "../../base/libc_paths.ts";
import { type Config, variables } from "../configuration/config.ts";
import { machineVariable } from "../configuration/machine_addresses.ts";
import type { ProcessName } from "../configuration/variable.ts";
import { supervisedVariable } from "../process/process.ts";

/** A process that the supervisor starts, with its permissions. */
export interface Program {
  name: ProcessName;
  script: string;
  /** Further flags of the runtime. */
  flags?: readonly string[];
  permissions(config: Config, options?: PermissionOptions): string[];
}

interface PermissionOptions {
  /** True where the companion may call the C library; not unless given. */
  hasFfi?: boolean;
}

/*
 * Flags of V8. The CPU time of a call is largely garbage collection, so the flags decide a large part of it.
 * Each figure is of runs in turn with and without the flag (`deno task bench:sip`, `bench:rest`,
 * `bench:calls`).
 *
 * Young generation (`--max-semi-space-size`), companion: 64 MiB in place of 16 takes 7 to 23 % off the CPU
 * time of a call, which then ends before it is copied. Service: 16 MiB, and old objects grow by half before
 * the next complete run (`--heap-growing-percent=50`), since pages of long lists take memory too. The most
 * memory in a minute of pages of 20,000 calls, which the target bounds at 350 MB:
 *
 *   32 MiB, 100 %   399 MB   4.60 ms of CPU time a call
 *   32 MiB, 50 %    369 MB
 *   16 MiB, 100 %   358 MB   4.99 ms
 *   16 MiB, 50 %    331 MB   5.13 ms
 *
 * Smaller caches of lists with 32 MiB stay within the bound too (342 MB), but answer half as many pages.
 *
 * TurboFan after 1,000 uses: 12 to 15 % less CPU time a call of the companion. 100,000 uses, or Maglev alone,
 * make the first minute cheaper (5.19 and 4.98 ms a call of the service in place of 6.16), and later minutes
 * dearer (7.57 in place of 5.65); a process runs for longer than a minute.
 *
 * Memory is given back after a minute: 2.75 ms a call of the service after a pause in place of 3.46 to 3.77,
 * as V8 drops compiled code with it. With nothing given back, service and companion keep 466 and 425 MB after
 * a burst; with a minute they have 272 and 152 MB again.
 *
 * No allocation-site pretenuring: 17 % less CPU time a call. A REGISTER that needs no request to the service
 * is answered without a promise for the same reason.
 *
 * Refused: settings of glibc's malloc (`GLIBC_TUNABLES`). What they gain for webhooks differs from run to
 * run, 0.88 to 1.02 of the time, and calls gain nothing: 5.27 ms with `mxfast=0` and `tcache_count=2000`, 5.03
 * without. One arena saves up to 20 MB. An operator can set the variable; the processes inherit it.
 */

/** Of both processes. */
const v8Flags = [
  // The young generation grows from 1 MiB in two steps, within the first minutes of load, in place of six
  // within a quarter of an hour, when operators look for leaks.
  "--semi-space-growth-factor=8",
  // V8 does not guess which objects live long, and put them among the old ones at once: where a call
  // is under way at each run it guesses wrong, and what dies there keeps all that it points to.
  "--no-allocation-site-pretenuring",
  // One thread collects what is young: little of it lives, and several cost more than they share.
  "--no-parallel-scavenge",
  // Functions are optimized after 1,000 uses, not 3,000: what a call runs once would get there late,
  // and be compiled while calls wait.
  "--invocation-count-for-turbofan=1000",
  // A process gives memory back after a minute with little to do, not after 8 s: V8 drops compiled code
  // as well, and the next calls would wait until it is compiled again.
  "--memory-reducer-delay-ms=60000",
];

const companionFlags = [
  // The young generation in MiB: with the 16 of V8, most of a call is copied twice while it lasts, and
  // found dead by the complete runs of the collector.
  "--max-semi-space-size=64",
];

const serviceFlags = [
  // A smaller one, since pages of long lists take memory too.
  "--max-semi-space-size=16",
  // A complete run begins when old objects take half more than after the last one. V8 waits for up to
  // four times as much.
  "--heap-growing-percent=50",
];

const flagsOf = (more: string[]): readonly string[] => [
  `--v8-flags=${[...v8Flags, ...more].join(",")}`,
];

/**
 * For all processes but the service. V8 takes code from Deno's cache only under the flags that it was
 * compiled with: processes that share modules would replace each other's at each start. The service
 * loads the most modules, so it has the cache.
 *
 * CPU time of loading both processes: 1.27 s so, 1.69 s without a cache, 1.82 s when both use it. A task
 * that runs beside the service, such as `deno task backup`, still replaces what it shares.
 */
const noCodeCache = "--no-code-cache";

/** Flags of the runtime, by process. Memory is taken as it is needed. */
export const runtimeFlags = {
  service: flagsOf(serviceFlags),
  companion: [...flagsOf(companionFlags), noCodeCache],
};

const readVariables = [...Object.keys(variables), supervisedVariable, machineVariable];
const environment = `--allow-env=${readVariables.join(",")}`;

/** Read by npm `ws` when it is loaded: whether to look for the native package bufferutil. */
const wsVariable = "WS_NO_BUFFER_UTIL";

/** Read by npm `pg` when it is loaded and when it connects; the URL of the store has all that is used. */
const pgVariables = [
  ...["NODE_PG_FORCE_NATIVE", "PGBINARY", "PGOPTIONS", "PGREPLICATION", "PGSSLNEGOTIATION", "USER"],
];

/** The file by which the server of the store is verified, where its URL names one. */
const rootCertificateIn = (url: string): string =>
  new URLSearchParams(url.split("?")[1]).get("sslrootcert") ?? "";

/** The processes, each with the permissions that it needs and no more. */
export const programs: Record<"api" | "sip" | "speech", Program> = {
  api: {
    name: "service",
    script: "main.ts",
    flags: runtimeFlags.service,
    permissions: (
      { DATA_DIR, KV_URL, STORE_URL, RATES_FILE, SMS_RATES_FILE, TLS_CERT, TLS_KEY },
    ) => [
      "--allow-net",
      `--allow-read=${
        [
          "docs",
          "routes/docs",
          "routes/softphone",
          "routes/console/assets",
          // A Worker reads its sources.
          "core/recordings",
          "node_modules",
          DATA_DIR,
          RATES_FILE,
          SMS_RATES_FILE,
          TLS_CERT,
          TLS_KEY,
          rootCertificateIn(STORE_URL),
        ].filter(Boolean)
          .join(
            ",",
          )
      }`,
      `--allow-write=${DATA_DIR}`,
      environment + (KV_URL === "" ? "" : ",DENO_KV_ACCESS_TOKEN") +
      (STORE_URL === "" ? "" : `,${pgVariables.join(",")}`),
    ],
  },
  sip: {
    name: "companion",
    script: "sip/main.ts",
    flags: runtimeFlags.companion,
    permissions: ({ DATA_DIR, SIP_TLS_CERT, SIP_TLS_KEY }, { hasFfi = false } = {}) => [
      "--allow-net",
      // A Worker reads its sources.
      `--allow-read=${
        [
          "node_modules",
          "core",
          "sip",
          `${DATA_DIR}/bridge_secret`,
          SIP_TLS_CERT,
          SIP_TLS_KEY,
        ]
          .filter((path) => path !== "").join(",")
      }`,
      // By the C library the media engine looks at many sockets at once. The library has `system`.
      ...hasFfi ? [`--allow-ffi=${LIBC_PATHS.join(",")}`] : [],
      // Offers of media name the machine's addresses where it listens on all of them.
      "--allow-sys=networkInterfaces",
      `${environment},${wsVariable}`,
    ],
  },
  speech: {
    name: "speech process",
    script: "core/machine/adapters/speech/main.ts",
    flags: [noCodeCache],
    permissions: ({ DATA_DIR, SPEECH_PORT }) => [
      `--allow-net=127.0.0.1:${SPEECH_PORT}`,
      "--allow-run=espeak-ng,flite,pocketsphinx_continuous",
      // Transcription of recordings has a lower priority than the audio of calls.
      "--allow-sys=setPriority",
      // The npm engine reads its data, and hints are held against the recogniser's words.
      `--allow-read=${DATA_DIR}/speech,${espeakFolder},/usr/share/pocketsphinx`,
      `--allow-write=${DATA_DIR}/speech`,
      environment,
    ],
  },
};
