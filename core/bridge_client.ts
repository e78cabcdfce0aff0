import { bridgePaths, runAnswer } from "./bridge.ts";
import { bridgeHeader, signBridge } from "./bridge_signature.ts";
import { trunkPaths } from "./bridge_trunks.ts";
import { Fault } from "./faults.ts";
import type { Bridge } from "./ports.ts";

export interface BridgeClientOptions {
  /** The companion's control, without a trailing slash. */
  url: string;
  secret: string;
  fetch(request: Request): Promise<Response>;
  now(): number;
  /** How long one request may take, in ms. */
  timeoutMs: number;
}

/** The service's side of the bridge over signed HTTP. */
export function bridgeClient({ url, secret, fetch, now, timeoutMs }: BridgeClientOptions): Bridge {
  async function send(request: Request): Promise<Response> {
    try {
      return await fetch(request);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new Fault("unavailable", `The SIP companion does not answer: ${why}`, { cause });
    }
  }

  async function post(path: string, content: unknown): Promise<Response> {
    const body = JSON.stringify(content);
    const signature = signBridge(secret, { at: now(), method: "POST", path, body });
    const headers = { "content-type": "application/json", [bridgeHeader]: signature };
    const signal = AbortSignal.timeout(timeoutMs);
    return await send(new Request(url + path, { method: "POST", headers, body, signal }));
  }

  async function checked(response: Response): Promise<Response> {
    if (response.ok) return response;
    await response.body?.cancel();
    throw new Fault("unavailable", `The SIP companion answered ${response.status}`);
  }

  return {
    async run(leg, script, other) {
      const response = await post(bridgePaths.run, { leg, script, other });
      if (response.status !== 404) {
        return runAnswer.parse(await (await checked(response)).json()).companion;
      }
      await response.body?.cancel();
      return null;
    },
    async invalidate(logins) {
      const response = await checked(await post(bridgePaths.invalidate, { logins }));
      await response.body?.cancel();
    },
    async gatewaysChanged() {
      const response = await checked(await post(trunkPaths.gatewaysChanged, {}));
      await response.body?.cancel();
    },
    async ready() {
      try {
        const signal = AbortSignal.timeout(timeoutMs);
        const response = await send(new Request(url + bridgePaths.ready, { signal }));
        await response.body?.cancel();
        return response.ok;
      } catch {
        return false;
      }
    },
  };
}
