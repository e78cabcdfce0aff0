import { plainReason } from "../base/plain_reason.ts";
import { isLoopback, withinMachine } from "../machine/configuration/machine_addresses.ts";
import { isPublicAddress } from "../base/public_address.ts";
import type { IceServer } from "./exchange.ts";
import type { Json, Service } from "./service.ts";
import type { Machine } from "./machine.ts";

/** Finding of the doctor about one subject. */
export interface Finding {
  check: string;
  result: "ok" | "failed";
  finding: string;
}

/** The service as it is configured on this machine. */
export interface Local {
  DATA_DIR: string;
  SIP_DOMAIN: string;
  PUBLIC_IP: string;
  RTP_HOST: string;
  SIP_HOST: string;
  SIP_WS_HOST: string;
  SIP_WS_PORT: number;
  SIP_WS_URL: string;
  SIP_WSS_PORT: number;
  SIP_UDP_PORT: number;
  SIP_TCP_PORT: number;
  SIP_TLS_PORT: number;
}

/** The most by which the clock here and the service's may differ, in ms; `Date` has whole seconds. */
const skewMs = 5_000;

/** Time before its end at which a certificate should be renewed, in ms. */
const renewalMs = 14 * 86_400_000;

/** Looks at one matter: what is well, or an Error that names what is wrong and what to do. */
type Look = () => Promise<string>;

/** The fault, as a sentence. */
class Problem extends Error {}

/** Runs every check, each apart from the others. */
export async function diagnose(
  service: Service,
  local: Local | null,
  machine: Machine,
): Promise<Finding[]> {
  const looks: [string, Look][] = [
    ["service", () => reached(service, machine)],
    ["clock", () => clock(service, machine)],
    ["ready", () => ready(service, machine)],
    ["credentials", () => credentials(service)],
    ...(service.url.startsWith("https:")
      ? [["certificate", () => certificate(service.url, machine)] as [string, Look]]
      : []),
    ["ice servers", () => iceServers(service, machine)],
    ...(local === null ? [] : localLooks(local, machine)),
  ];
  return await Promise.all(looks.map(async ([check, look]): Promise<Finding> => {
    try {
      return { check, result: "ok", finding: await look() };
    } catch (error) {
      return {
        check,
        result: "failed",
        finding: error instanceof Problem ? error.message : plainReason(error),
      };
    }
  }));
}

async function reached({ url }: Service, machine: Machine): Promise<string> {
  const response = await machine.fetch(`${url}/health`);
  await response.body?.cancel();
  if (!response.ok) {
    throw new Problem(`${url}/health answered ${response.status}: is it Switchboard?`);
  }
  return `${url} answers`;
}

async function clock({ url }: Service, machine: Machine): Promise<string> {
  const before = machine.now();
  const response = await machine.fetch(`${url}/health`);
  await response.body?.cancel();
  const there = Date.parse(response.headers.get("Date") ?? "");
  if (Number.isNaN(there)) throw new Problem("the service sent no Date header");
  const here = (before + machine.now()) / 2;
  const skew = there + 500 - here;
  if (Math.abs(skew) <= skewMs) return "the clock here and the service's agree";
  const side = skew > 0 ? "ahead of" : "behind";
  throw new Problem(
    `the service's clock is ${Math.round(Math.abs(skew) / 1_000)} s ${side} the one here: ` +
      "set both by NTP",
  );
}

async function ready({ url }: Service, machine: Machine): Promise<string> {
  const { store, companion } = await (await machine.fetch(`${url}/ready`)).json();
  if (store === "ok" && companion === "ok") return "store and companion answer";
  throw new Problem(`store: ${store}, companion: ${companion}; see docs/troubleshooting.md`);
}

async function credentials(service: Service): Promise<string> {
  const { Version } = await service.get("Supervisor.json/metrics");
  return `those of the root account; version ${Version}`;
}

async function certificate(url: string, machine: Machine): Promise<string> {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  const { problem, validTo } = await machine.certificate(host, Number(port) || 443);
  const until = new Date(validTo).toISOString();
  if (validTo < machine.now()) throw new Problem(`the certificate expired ${until}: renew it`);
  if (problem !== "") throw new Problem(`clients refuse the certificate of ${host}: ${problem}`);
  if (validTo - machine.now() < renewalMs) {
    throw new Problem(`the certificate expires ${until}: renew it`);
  }
  return `valid until ${until}`;
}

const iceUrl = /^(stuns?|turns?):(\[[^\]]+\]|[^:?]+)(?::(\d+))?(\?transport=tcp)?/;

/** Checks that each server of ICE_SERVERS answers, and relays for the credentials of a Token. */
async function iceServers(service: Service, machine: Machine): Promise<string> {
  const { ice_servers } = await service.post<{ ice_servers: Json[] }>("Tokens.json", {});
  for (const { urls, username, credential } of ice_servers) {
    const found = iceUrl.exec(`${urls}`);
    if (found === null) continue;
    const [, scheme = "", name = "", port, tcp] = found;
    const isTls = scheme.endsWith("s");
    const server: IceServer = {
      protocol: isTls ? "tls" : tcp === undefined ? "udp" : "tcp",
      host: name.replace(/^\[|\]$/g, ""),
      port: Number(port ?? (isTls ? 5349 : 3478)),
    };
    const given = { username: `${username}`, credential: `${credential}` };
    try {
      await (scheme.startsWith("turn") ? machine.turn(server, given) : machine.stun(server));
    } catch (error) {
      const what = scheme.startsWith("turn") ? "relays nothing" : "does not answer";
      throw new Problem(
        `${urls} ${what}: ${plainReason(error)}. See ICE_SERVERS and TURN_SECRET`,
      );
    }
  }
  return ice_servers.length === 0 ? "none configured" : `${ice_servers.length} answer`;
}

const localLooks = (local: Local, machine: Machine): [string, Look][] => [
  ["sip ports", () => sipPorts(local, machine)],
  ["sip domain", () => sipDomain(local, machine)],
  ["addresses", () => addresses(local, machine)],
  ["browsers", () => browsers(local, machine)],
  ["data", () => data(local, machine)],
];

async function sipPorts(local: Local, machine: Machine): Promise<string> {
  const open = [];
  for (const name of ["SIP_WS", "SIP_WSS", "SIP_TCP", "SIP_TLS"] as const) {
    const port = local[`${name}_PORT`];
    if (port === 0) continue;
    const host = name === "SIP_WS" ? local.SIP_WS_HOST : local.SIP_HOST;
    await machine.connect(withinMachine(host), port).catch((error) => {
      throw new Problem(`nothing answers at ${name}_PORT ${host}:${port}: ${plainReason(error)}`);
    });
    open.push(`${name}_PORT ${port}`);
  }
  const { SIP_UDP_PORT: port, SIP_HOST } = local;
  if (port !== 0) {
    await machine.options(withinMachine(SIP_HOST), port).catch((error) => {
      throw new Problem(`no SIP answer at SIP_UDP_PORT ${SIP_HOST}:${port}: ${plainReason(error)}`);
    });
    open.push(`SIP_UDP_PORT ${port}`);
  }
  return `${open.join(", ")} answer`;
}

/** Checks that audio sent to the advertised address reaches this machine. */
async function addresses({ RTP_HOST, PUBLIC_IP }: Local, machine: Machine): Promise<string> {
  const found = await machine.addresses(RTP_HOST).catch((): string[] => []);
  if (found.length === 0) throw new Problem(`RTP_HOST ${RTP_HOST} has no address in the DNS`);
  const own = found.find(machine.isOwn);
  if (own === undefined) {
    if (PUBLIC_IP !== "") {
      return `${PUBLIC_IP} is advertised; a NAT has to forward it to this machine`;
    }
    throw new Problem(
      `audio is advertised at RTP_HOST ${RTP_HOST}, which is no address of this machine: ` +
        "set PUBLIC_IP where a NAT forwards to it",
    );
  }
  if (isLoopback(own)) return `${own} is advertised: only this machine reaches it`;
  return isPublicAddress(own)
    ? `${own} is advertised`
    : `${own} is advertised: phones elsewhere need PUBLIC_IP`;
}

/** Checks that a WebSocket opens at the address that browsers are given. */
async function browsers({ SIP_WS_URL }: Local, machine: Machine): Promise<string> {
  await machine.webSocket(SIP_WS_URL).catch((error) => {
    throw new Problem(
      `no WebSocket opens at SIP_WS_URL ${SIP_WS_URL}: ${plainReason(error)}. ` +
        "See docs/reverse-proxy.md",
    );
  });
  return `a WebSocket opens at ${SIP_WS_URL}`;
}

async function sipDomain({ SIP_DOMAIN }: Local, machine: Machine): Promise<string> {
  const addresses = await machine.addresses(SIP_DOMAIN).catch(() => []);
  if (addresses.length > 0) return `${SIP_DOMAIN} is ${addresses.join(", ")}`;
  throw new Problem(`the DNS has no address of SIP_DOMAIN ${SIP_DOMAIN}: add an A or AAAA record`);
}

/** Checks that other users cannot read the secrets in DATA_DIR. */
async function data({ DATA_DIR }: Local, machine: Machine): Promise<string> {
  if (await machine.mode(DATA_DIR) === null) throw new Problem(`there is no DATA_DIR ${DATA_DIR}`);
  for (const name of ["secret_key", "bridge_secret", "credentials.json"]) {
    const mode = await machine.mode(`${DATA_DIR}/${name}`);
    if (mode === null || (mode & 0o077) === 0) continue;
    throw new Problem(`other users can read ${DATA_DIR}/${name}: chmod 600 ${DATA_DIR}/${name}`);
  }
  return `only the owner reads the secrets of ${DATA_DIR}`;
}
