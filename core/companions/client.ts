import type { BridgeSecret } from "../protocol/bridge_secret.ts";
import { type Companion, protocolLimits, readyAnswer } from "../protocol/companion.ts";
import {
  type ClientOf,
  clientOf,
  type CompanionRequests,
  companionRequests,
  readyPath,
  type Send,
} from "../protocol/requests.ts";
import { writeSealed } from "../protocol/seal.ts";
import { refusalHint, signatureHeader, signRequest } from "../protocol/signature.ts";
import { liveCompanions } from "./companions.ts";
import { createInvalidations } from "./invalidations.ts";
import { createRunOrders } from "./run_orders.ts";
import { currentOrigin } from "../base/origin.ts";
import { Fault } from "../base/faults.ts";
import { outside } from "../base/loop_work.ts";
import { limits } from "../base/limits.ts";
import { textOf } from "../base/exchange.ts";
import { type Answer, dropBody, isOk, type OutgoingRequest } from "../base/outgoing.ts";
import { timeLimit } from "../base/time_limit.ts";
import type {
  CompanionControl,
  Companions,
  CompanionState,
} from "../model/ports/companion_ports.ts";

/** The requests to one companion. */
type Control = ClientOf<CompanionRequests>;

export interface CompanionClientOptions {
  /** The control of a companion that has not said where its own is, without a trailing slash. */
  url: string;
  companions: Companions;
  secret: BridgeSecret;
  fetch(request: OutgoingRequest): Promise<Answer>;
  /** The wall clock, which signatures are dated by. */
  now(): number;
  steadyNow(): number;
  /** Time limit of one request, in ms. */
  timeoutMs: number;
}

/**
 * The service's side of the call-control protocol over signed HTTP, to each companion at its own
 * address.
 */
export function companionClient(options: CompanionClientOptions): CompanionControl {
  const control = controlClient(options);
  const addressOf = (known: CompanionState | null): string => known?.bridgeUrl ?? options.url;
  /** By its last heartbeat. */
  const urlOf = async (at: Pick<Companion, "id"> | CompanionState) =>
    addressOf("seenAt" in at ? at : await options.companions.get(at.id));
  const controlOf = async (at: Pick<Companion, "id">) => control.at(await urlOf(at));

  /** Of all live companions; the expected one before any was heard of. */
  async function addresses(): Promise<string[]> {
    const urls = (await liveCompanions(options)).map(addressOf);
    return urls.length === 0 ? [options.url] : [...new Set(urls)];
  }
  const everywhere = async (): Promise<Control[]> => (await addresses()).map(control.at);

  /** Sends a request to each companion, whatever became of the others. */
  async function broadcast(send: (control: Control) => Promise<unknown>): Promise<void> {
    await allDone((await everywhere()).map(send));
  }

  /** Sends something to the devices of a Client; their statuses. */
  async function atHolders(
    login: string,
    send: (control: Control) => Promise<{ statuses: number[] }>,
  ): Promise<number[]> {
    // A companion without a recent heartbeat may still have the Client, so all are read each time.
    const known = await options.companions.list();
    const holders = await options.companions.holding(login, known);
    return statusesOf(
      await Promise.allSettled(holders.map((holder) => send(control.at(addressOf(holder))))),
    );
  }

  return {
    async run(leg, script, { at = null, other } = {}) {
      const order = { leg, script, origin: currentOrigin(), ...other && { other } };
      const urls = at === null ? await addresses() : [await urlOf(at)];
      return await firstAnswer(urls, (url) => control.run(url, order));
    },
    mute: async (leg, muted, at) => (await (await controlOf(at)).mute({ leg, muted })).isDone,
    async invalidate(logins) {
      const forgotten = (await addresses()).map((url) => control.invalidate(url, logins));
      await allDone(forgotten);
    },
    gatewaysChanged: () => broadcast((control) => control.gatewaysChanged({})),
    async bindings(login) {
      const asked = (await everywhere()).map((control) => control.bindings({ login }));
      return (await Promise.all(asked)).flatMap(({ bindings }) => bindings);
    },
    message: (order) => atHolders(order.login, (holder) => holder.message(order)),
    notification: (order) => atHolders(order.login, (holder) => holder.notification(order)),
    // Asks no other companion while one may still have the text: it could pick another server.
    sendOut: async (order) =>
      await firstAnswer(
        await everywhere(),
        (one) => one.outwardMessage(order),
        isUntaken,
      ) ?? { status: null },
    conference: async (order, at) => (await (await controlOf(at)).conference(order)).isKnown,
    recording: async (request, at) => (await (await controlOf(at)).recording(request)).isDone,
    stream: async (request, at) => (await (await controlOf(at)).stream(request)).isDone,
    levels: async (request, at) => (await (await controlOf(at)).levels(request)).levels,
    async look(at) {
      const known = await options.companions.get(at.id);
      if (known?.runId !== at.runId) return "gone";
      return await control.look(addressOf(known), at);
    },
    ready: async () => (await Promise.all((await addresses()).map(control.ready))).includes(true),
  };
}

/** Waits for all of several requests. Throws a failure of one. */
async function allDone(requests: Promise<unknown>[]): Promise<void> {
  const failure = (await Promise.allSettled(requests)).find(({ status }) => status === "rejected");
  if (failure?.status === "rejected") throw failure.reason;
}

/**
 * Responses of the devices of all companions. Throws a failure where no device took the message.
 */
function statusesOf(sent: PromiseSettledResult<{ statuses: number[] }>[]): number[] {
  const statuses = sent.flatMap((one) => one.status === "fulfilled" ? one.value.statuses : []);
  const failure = sent.find((one) => one.status === "rejected");
  const isTaken = statuses.some((status) => status < 300);
  if (failure !== undefined && !isTaken) throw failure.reason;
  return statuses;
}

/**
 * First answer of several companions, requested one after another, that is not null; null when all
 * are. Throws the last failure when none has an answer, and one after which no other may get the
 * request.
 */
async function firstAnswer<T, C>(
  companions: C[],
  request: (companion: C) => Promise<T | null>,
  mayGoOn: (failure: unknown) => boolean = () => true,
): Promise<T | null> {
  let failure: unknown;
  for (const companion of companions) {
    try {
      const answer = await request(companion);
      if (answer !== null) return answer;
    } catch (error) {
      if (!mayGoOn(error)) throw error;
      failure = error; // Another one may answer.
    }
  }
  if (failure !== undefined) throw failure;
  return null;
}

/** True for a failure after which a companion surely did nothing: it refused the request or the connection. */
const isUntaken = (error: unknown): boolean =>
  error instanceof Error &&
  (error.cause === 503 || /connection (was )?refused/i.test(error.message) ||
    isUntaken(error.cause));

/** True when the machine refused or reset the connection: it runs, and no companion listens. */
const isRefused = (error: unknown): boolean =>
  error instanceof Error &&
  (/connection (was )?(refused|reset)/i.test(error.message) || isRefused(error.cause));

const readyRequest = (url: string, signal: AbortSignal): OutgoingRequest => ({
  url: new URL(url + readyPath),
  method: "GET",
  headers: {},
  body: "",
  signal,
});

/** Most addresses of companions with a cached client; companions come back with new ones. */
const mostClients = 100;

/** Caches by name what `make` returns. */
function cachedByName<T>(make: (name: string) => T): (name: string) => T {
  const made = new Map<string, T>();
  return (name) => {
    const one = made.get(name) ?? make(name);
    if (!made.has(name) && made.size === mostClients) made.clear();
    made.set(name, one);
    return one;
  };
}

/** Requests to the control at an address. */
function controlClient(
  { secret, fetch, now, steadyNow, timeoutMs }: CompanionClientOptions,
) {
  async function send(request: OutgoingRequest): Promise<Answer> {
    try {
      return await outside(() => fetch(request));
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new Fault("unavailable", `The SIP companion does not answer: ${why}`, { cause });
    }
  }

  const post = (url: string): Send => async ({ path, answerMs = timeoutMs }, content) => {
    const body = writeSealed(secret, content);
    const signature = signRequest(secret, { at: now(), method: "POST", path, body });
    const headers = {
      "content-type": "application/json",
      [signatureHeader.toLowerCase()]: signature,
    };
    using time = timeLimit(answerMs);
    const request = { url: new URL(url + path), method: "POST", headers, body };
    const answer = await send({ ...request, signal: time.signal });
    if (isOk(answer)) return JSON.parse((await textOf(answer, protocolLimits.bodyBytes)).text);
    await dropBody(answer);
    const { status } = answer;
    const why = `The SIP companion answered ${status}${refusalHint(status)}`;
    throw new Fault("unavailable", why, { cause: status });
  };

  /** The requests to the companion at an address. */
  const at = cachedByName((url) => clientOf(companionRequests, post(url)));
  return {
    at,
    run: createRunOrders(at),
    invalidate: createInvalidations(at, steadyNow),
    async look(url: string, { id, runId }: Companion) {
      try {
        using time = timeLimit(Math.min(timeoutMs, limits.companionLookMs));
        const answer = await fetch(readyRequest(url, time.signal));
        const { text } = await textOf(answer, protocolLimits.bodyBytes);
        const { companion } = readyAnswer.parse(JSON.parse(text));
        if (companion.id !== id) return "silent";
        if (companion.runId !== runId) return "gone";
        return isOk(answer) ? "there" : "silent";
      } catch (error) {
        return isRefused(error) ? "gone" : "silent";
      }
    },
    async ready(url: string) {
      try {
        using time = timeLimit(timeoutMs);
        const answer = await send(readyRequest(url, time.signal));
        await dropBody(answer);
        return isOk(answer);
      } catch {
        return false;
      }
    },
  };
}
