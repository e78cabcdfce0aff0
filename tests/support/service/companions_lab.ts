import { answerOf, requestOf } from "../../../core/base/outgoing.ts";
import { steadyNow } from "../../../core/base/steady_clock.ts";
import { companionClient } from "../../../core/companions/client.ts";
import { protocolRoutes } from "../../../routes/protocol/routes.ts";
import { type Companion, startCompanion } from "../../../sip/companion.ts";
import type { CompanionOptions } from "../../../sip/companion_options.ts";
import { type App, startApp } from "./app.ts";
import { fakeMedia } from "../media/fake_media.ts";
import { testDomain } from "../sip/fake_service.ts";
import { openSoftphone, type Softphone } from "../sip/softphone.ts";

/** The real service and several companions that share it, on the loopback. */
export interface CompanionsLab {
  readonly app: App;
  readonly companions: readonly Companion[];
  /** Makes a Client of the root account, or of another; its password is the login and `-secret`. */
  client(login: string, owner?: App["root"]): Promise<string>;
  /** A softphone that is registered at a companion, after the service got its registration. */
  phone(login: string, at: Companion): Promise<Softphone>;
  /** Connects without registering. */
  connect(login: string, at: Companion): Promise<Softphone>;
  /** Resolves when it is so, looking whenever a companion was answered. */
  until(isSo: () => Promise<boolean> | boolean): Promise<void>;
  /** The service takes no connections any more, until it comes back at the same address. */
  stopService(): Promise<void>;
  startService(): void;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Secret that service and companions of these labs share. */
export const secret = "a secret of service and companions";

/** Options of the companions beyond the defaults. */
export type CompanionsLabOptions = Partial<
  Pick<CompanionOptions, "transports" | "trustedSources" | "media" | "sessionBounds">
>;

/**
 * Makes a clock go on from now, wherever it is set to. The signatures of companions have its time:
 * with a clock that stands still they would expire in a long test.
 */
function letRun(clock: App["clock"]): void {
  let [aheadMs, setMs] = [0, 0];
  const steady = () => steadyNow() + aheadMs;
  Object.defineProperties(clock, {
    now: { get: () => steady() + setMs, set: (to: number) => void (aheadMs += to - clock.now) },
    steady: { get: steady },
  });
  clock.step = (ms) => void (setMs += ms);
}

/** Starts them; the service has heard of all companions when this resolves. */
export async function startCompanions(
  ids: string[],
  options: CompanionsLabOptions & { only?: Record<string, CompanionsLabOptions> } = {},
): Promise<CompanionsLab> {
  const { only = {}, ...all } = options;
  const app = await startApp({ mounts: (ports) => ({ bridge: protocolRoutes(ports, secret) }) });
  letRun(app.clock);
  const { companions: known } = app.ports;
  const waiting = new Set<() => void>();
  const serve = (port: number) =>
    Deno.serve({ hostname: "127.0.0.1", port, onListen() {} }, async (request) => {
      const response = await app.http.fetch(request);
      for (const look of waiting) look();
      return response;
    });
  let server = serve(0);
  const { port } = server.addr;
  app.ports.control = companionClient({
    url: "http://127.0.0.1:9", // An unused address.
    companions: known,
    secret,
    fetch: async (request) => answerOf(await fetch(requestOf(request))),
    now: Date.now,
    steadyNow,
    timeoutMs: 20_000,
  });

  const until = async (isSo: () => Promise<boolean> | boolean): Promise<void> => {
    for (;;) {
      const next = Promise.withResolvers<void>();
      waiting.add(next.resolve);
      const found = await isSo();
      if (!found) await next.promise;
      waiting.delete(next.resolve);
      if (found) return;
    }
  };

  const start = (id: string) =>
    startCompanion({
      sipHost: "127.0.0.1",
      sipPort: 0,
      bridgeHost: "127.0.0.1",
      bridgePort: 0,
      serviceUrl: `http://127.0.0.1:${port}`,
      bridgeSecret: secret,
      sipDomain: testDomain,
      id,
      reconnectGraceMs: 100,
      media: fakeMedia({ slow: false }),
      loadAudio: () => Promise.resolve(new Int16Array(160)),
      log: () => {},
      ...all,
      ...only[id],
    });
  const companions = await Promise.all(ids.map(start));
  await until(async () => (await known.list()).length === ids.length);

  const phones: Softphone[] = [];
  const connect = async (login: string, { sipUrl: url }: Companion) => {
    const password = `${login}-secret`;
    const phone = await openSoftphone({ url, login, password, domain: testDomain });
    phones.push(phone);
    return phone;
  };
  return {
    app,
    companions,
    until,
    stopService: () => server.shutdown(),
    startService: () => void (server = serve(port)),
    connect,
    async client(login, owner = app.root) {
      const form = { Login: login, Password: `${login}-secret` };
      return (await owner.post("Clients.json", form)).json().sid;
    },
    async phone(login, at) {
      const phone = await connect(login, at);
      const { start } = await phone.register();
      if (!start.includes("200")) throw new Error(`Cannot register ${login}: ${start}`);
      await until(async () =>
        (await known.holding(login, await known.list())).some(({ runId }) => runId === at.runId)
      );
      return phone;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(companions.map((companion) => companion.stop()));
      await Promise.all(phones.map((phone) => phone.close()));
      await server.shutdown();
      app[Symbol.dispose]();
    },
  };
}
