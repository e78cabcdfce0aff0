import { Hono } from "hono";
import { areDraining, liveCompanions } from "../core/companions/companions.ts";
import { Fault } from "../core/base/faults.ts";
import { limits } from "../core/base/limits.ts";
import type { Ports } from "../core/model/ports/ports.ts";
import { answerJson } from "./http/answer.ts";
import type { Env } from "./http/env.ts";
import { errorBody, statusOf } from "./http/errors.ts";

/**
 * `GET /health`: the process runs. `GET /ready`: it reaches its store and a companion, can write to the
 * store, and accepts the heartbeats of a companion. In JSON, without credentials.
 */
export function health(ports: Ports): Hono<Env> {
  return new Hono<Env>()
    .get("/health", (c) => answerJson(c, { status: "ok" }))
    .get("/ready", async (c) => {
      const live = liveCompanions(ports);
      const [read, written, reached, heard, drains] = await Promise.all([
        stateOf(live.then(() => true)),
        stateOf(ports.store.check().then(() => true)), // A disk that hangs answers no write.
        stateOf(ports.control.ready()),
        stateOf(live.then(({ length }) => length > 0)),
        stateOf(live.then(areDraining)),
      ]);
      const failure = ports.store.failure();
      const isCut = read !== "ok" || written !== "ok" || failure?.kind === "unreachable";
      const store = isCut ? "unreachable" : failure === null ? "ok" : "unwritable";
      const isUnheard = reached === "ok" && store === "ok" && heard !== "ok";
      const companion = drains === "ok" ? "draining" : isUnheard ? "unheard" : reached;
      if (store === "ok" && companion === "ok") return answerJson(c, { store, companion });
      const fault = new Fault(
        "unavailable",
        failure === null ? undefined : `the store cannot write: ${failure.reason}`,
      );
      c.header("Retry-After", String(limits.retryAfterS));
      const body = { ...errorBody(fault, ports.settings.baseUrl), store, companion };
      return answerJson(c, body, statusOf[fault.kind]);
    });
}

/** True when a part of the service responds in time. */
async function stateOf(isReady: Promise<boolean>): Promise<"ok" | "unreachable"> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), limits.readyTimeoutMs);
  });
  const isOk = await Promise.race([isReady.catch(() => false), late]);
  clearTimeout(timer);
  return isOk ? "ok" : "unreachable";
}
