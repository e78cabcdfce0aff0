import {
  type Companion,
  muteAnswer,
  protocolPaths,
  readyAnswer,
  runAnswer,
} from "../protocol/companion.ts";
import { type Script } from "../protocol/script.ts";
import {
  messageLimits,
  type MessageOrder,
  messageOutcome,
  messagePaths,
  type OutwardOrder,
  outwardOutcome,
} from "../protocol/messages.ts";
import { bindingsAnswer, registrationPaths } from "../protocol/registrations.ts";
import { roomAnswer, type RoomOrder, roomPaths } from "../protocol/rooms.ts";
import { writeSealed } from "../protocol/seal.ts";
import { signatureHeader, signRequest } from "../protocol/signature.ts";
import { trunkPaths } from "../protocol/trunks.ts";
import { liveCompanions } from "./companions.ts";
import { Fault } from "../base/faults.ts";
import { limits } from "../base/limits.ts";
import type { CompanionControl, Companions } from "../ports/companion_ports.ts";

export interface CompanionClientOptions {
  /** The control of a companion that has not said where its own is, without a trailing slash. */
  url: string;
  companions: Companions;
  secret: string;
  fetch(request: Request): Promise<Response>;
  now(): number;
  /** How long one request may take, in ms. */
  timeoutMs: number;
}

/** The service's side of the call-control protocol over signed HTTP, to each companion at its own address. */
export function companionClient(options: CompanionClientOptions): CompanionControl {
  const control = controlClient(options);

  /** The addresses of all live companions; of the expected one before any was heard of. */
  async function everywhere(): Promise<string[]> {
    const live = await liveCompanions(options);
    const urls = live.map(({ bridgeUrl }) => bridgeUrl ?? options.url);
    return urls.length === 0 ? [options.url] : [...new Set(urls)];
  }

  /** Tells each companion, whatever became of the others. */
  async function tellAll(path: string, content: object): Promise<void> {
    const urls = await everywhere();
    const told = await Promise.allSettled(urls.map((url) => control.tell(url, path, content)));
    const failure = told.find((one) => one.status === "rejected");
    if (failure !== undefined) throw failure.reason;
  }

  return {
    async run(leg, script, { at = null, other } = {}) {
      const scripts = { script, ...other && { other } };
      if (at !== null) {
        const known = await options.companions.get(at.id);
        return await control.run(known?.bridgeUrl ?? options.url, leg, scripts);
      }
      let failure: unknown;
      for (const url of await everywhere()) {
        try {
          const holder = await control.run(url, leg, scripts);
          if (holder !== null) return holder;
        } catch (error) {
          failure = error; // Another may have the leg.
        }
      }
      if (failure !== undefined) throw failure;
      return null;
    },
    async mute(leg, muted, at) {
      const known = await options.companions.get(at.id);
      return await control.mute(known?.bridgeUrl ?? options.url, leg, muted);
    },
    invalidate: (logins) => tellAll(protocolPaths.invalidate, { logins }),
    gatewaysChanged: () => tellAll(trunkPaths.gatewaysChanged, {}),
    async bindings(login) {
      const urls = await everywhere();
      return (await Promise.all(urls.map((url) => control.bindings(url, login)))).flat();
    },
    async message(order) {
      // One that was not heard of lately may have it still: then it is asked, again and again.
      const known = await options.companions.list();
      const holders = await options.companions.holding(order.login, known);
      const urls = holders.map(({ bridgeUrl }) => bridgeUrl ?? options.url);
      const told = await Promise.allSettled(urls.map((url) => control.message(url, order)));
      const statuses = told.flatMap((one) => one.status === "fulfilled" ? one.value : []);
      const failure = told.find((one) => one.status === "rejected");
      const isTaken = statuses.some((status) => status < 300);
      if (failure !== undefined && !isTaken) throw failure.reason;
      return statuses;
    },
    async sendOut(order) {
      let failure: unknown;
      for (const url of await everywhere()) {
        try {
          return await control.sendOut(url, order);
        } catch (error) {
          failure = error;
        }
      }
      throw failure;
    },
    async room(order, at) {
      const known = await options.companions.get(at.id);
      return await control.room(known?.bridgeUrl ?? options.url, order);
    },
    async look(at) {
      const known = await options.companions.get(at.id);
      if (known?.runId !== at.runId) return "gone";
      return await control.look(known.bridgeUrl ?? options.url, at);
    },
    async ready() {
      const urls = await everywhere();
      return (await Promise.all(urls.map(control.ready))).includes(true);
    },
  };
}

/** Whether a machine that lives said that nobody listens there, or ended the connection. */
const isRefused = (error: unknown): boolean =>
  error instanceof Error &&
  (/connection (was )?(refused|reset)/i.test(error.message) || isRefused(error.cause));

/** What can be asked of the control at an address. */
function controlClient({ secret, fetch, now, timeoutMs }: CompanionClientOptions) {
  async function send(request: Request): Promise<Response> {
    try {
      return await fetch(request);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new Fault("unavailable", `The SIP companion does not answer: ${why}`, { cause });
    }
  }

  async function post(
    url: string,
    path: string,
    content: unknown,
    ms = timeoutMs,
  ): Promise<Response> {
    const body = writeSealed(secret, content);
    const signature = signRequest(secret, { at: now(), method: "POST", path, body });
    const headers = { "content-type": "application/json", [signatureHeader]: signature };
    const signal = AbortSignal.timeout(ms);
    return await send(new Request(url + path, { method: "POST", headers, body, signal }));
  }

  async function checked(response: Response): Promise<Response> {
    if (response.ok) return response;
    await response.body?.cancel();
    throw new Fault("unavailable", `The SIP companion answered ${response.status}`);
  }

  return {
    async run(url: string, leg: string, { script, other }: { script: Script; other?: Script }) {
      const response = await post(url, protocolPaths.run, { leg, script, other });
      if (response.status !== 404) {
        return runAnswer.parse(await (await checked(response)).json()).companion;
      }
      await response.body?.cancel();
      return null;
    },
    async mute(url: string, leg: string, muted: boolean) {
      const response = await post(url, protocolPaths.mute, { leg, muted });
      if (response.status !== 404) {
        return muteAnswer.parse(await (await checked(response)).json()).isDone;
      }
      await response.body?.cancel();
      return false;
    },
    async tell(url: string, path: string, content: object) {
      const response = await checked(await post(url, path, content));
      await response.body?.cancel();
    },
    async bindings(url: string, login: string) {
      const response = await checked(await post(url, registrationPaths.bindings, { login }));
      return bindingsAnswer.parse(await response.json()).bindings;
    },
    async message(url: string, order: MessageOrder) {
      const { order: path } = messagePaths;
      const response = await checked(await post(url, path, order, messageLimits.orderMs));
      return messageOutcome.parse(await response.json()).statuses;
    },
    async sendOut(url: string, order: OutwardOrder) {
      const { outward: path } = messagePaths;
      const response = await checked(await post(url, path, order, messageLimits.outwardMs));
      return outwardOutcome.parse(await response.json()).status;
    },
    async room(url: string, order: RoomOrder) {
      const response = await checked(await post(url, roomPaths.order, order));
      return roomAnswer.parse(await response.json()).isKnown;
    },
    async look(url: string, { id, runId }: Companion) {
      try {
        const signal = AbortSignal.timeout(Math.min(timeoutMs, limits.companionLookMs));
        const response = await fetch(new Request(url + protocolPaths.ready, { signal }));
        const { companion } = readyAnswer.parse(await response.json());
        if (companion.id !== id) return "silent";
        if (companion.runId !== runId) return "gone";
        return response.ok ? "there" : "silent";
      } catch (error) {
        return isRefused(error) ? "gone" : "silent";
      }
    },
    async ready(url: string) {
      try {
        const signal = AbortSignal.timeout(timeoutMs);
        const response = await send(new Request(url + protocolPaths.ready, { signal }));
        await response.body?.cancel();
        return response.ok;
      } catch {
        return false;
      }
    },
  };
}
