import assert from "node:assert/strict";
import { endChild } from "../process/end_child.ts";
import { openSoftphone, type Softphone } from "../sip/softphone.ts";
import { eventually } from "../process/eventually.ts";
import { freePorts, pidsBelow, spawnTask, type System } from "../process/system.ts";

/** One more companion of a system, as processes of its own. */
export interface SecondCompanion extends AsyncDisposable {
  /** A softphone registered here as a Client that the system has. */
  phone(login: string): Promise<Softphone>;
  /** The process that speaks SIP. */
  pid(): number;
}

export async function startCompanion(
  system: System,
  env: Record<string, string> = {},
): Promise<SecondCompanion> {
  const [sipPort, bridgePort, speechPort] = freePorts(3) as [number, number, number];
  const { child, output, ended } = spawnTask(["sip"], {
    PORT: new URL(system.baseUrl).port,
    SIP_WS_PORT: String(sipPort),
    BRIDGE_PORT: String(bridgePort),
    SPEECH_PORT: String(speechPort),
    DATA_DIR: system.directory,
    ALLOW_PRIVATE_URLS: "true",
    ...env,
  });
  const phones: Softphone[] = [];
  await eventually("it listens", () => output().includes("SIP over WebSocket"));
  return {
    async phone(login) {
      const password = `${login}-secret`;
      const url = `ws://127.0.0.1:${sipPort}`;
      const phone = await openSoftphone({ url, login, password, domain: "localhost" });
      phones.push(phone);
      assert.equal((await phone.register()).status, 200);
      return phone;
    },
    pid() {
      const [pid] = pidsBelow(child.pid, "sip/main.ts");
      assert.ok(pid !== undefined, "the companion runs");
      return pid;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(phones.map((phone) => phone.close()));
      await endChild(child);
      await ended;
    },
  };
}
