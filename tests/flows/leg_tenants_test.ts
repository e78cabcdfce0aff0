import assert from "node:assert/strict";
import { credentialsOf } from "../../core/accounts/credentials.ts";
import { numberOf } from "../../core/numbers/find_number.ts";
import { registrationsOf } from "../../core/numbers/gateway_registrations.ts";
import type { ApiClient } from "../support/service/api_client.ts";
import { type App, startApp } from "../support/service/app.ts";
import { made } from "../support/service/hand_companion.ts";

const gateway = { UserName: "me", Password: "secret", Proxy: "sip.carrier.test" };

/** Tenant that each message of the service names where it begins a leg of an account. */
async function namedFor(app: App, account: ApiClient, dialled: string) {
  const login = `phone${dialled}`;
  await made(account, "Clients", { Login: login, Password: "a-secret" });
  await made(account, "IncomingPhoneNumbers", { PhoneNumber: dialled, isSIP: "true" });
  const { sid: gatewaySid } = await made(account, "Management/Gateways", gateway);
  const url = "https://app.test/voice";
  const invite = async (To: string) => {
    await made(account, "Calls", { From: `client:${login}`, To, Url: url });
    await app.runJobs();
    const step = app.scripts.at(-1)?.script[0];
    return step?.type === "invite" ? step.invitation : assert.fail();
  };
  const toClient = await invite(`client:${login}`);
  const { target: toNumber } = await invite(dialled);
  const from = { gatewaySid, accountSid: account.sid };
  // Placed calls made a companion known, and each has its part of the Gateways.
  const companions = ["a", ...(await app.ports.companions.list()).map(({ id }) => id)];
  const registrations = await Promise.all(companions.map((id) => registrationsOf(id, app.ports)));
  return {
    invitation: toClient.tenant,
    number: toNumber.kind === "number" ? toNumber.tenant : assert.fail(),
    credentials: (await credentialsOf(login, app.ports))?.tenant,
    trunkNumber: (await numberOf({ dialled: [dialled], gateway: from }, app.ports))?.tenant,
    registration: registrations.flat().find((one) => one.gatewaySid === gatewaySid)?.tenant,
  };
}

Deno.test("what begins a leg of a sub-account names its tenant; of a tenant and the root none", async () => {
  using app = await startApp();
  const tenant = await app.subAccount(app.root, "tenant");
  const below = await app.subAccount(tenant, "below");

  const { sid } = tenant;
  assert.deepEqual(await namedFor(app, below, "71"), {
    invitation: sid,
    number: sid,
    credentials: sid,
    trunkNumber: sid,
    registration: sid,
  });
  const none = {
    invitation: undefined,
    number: undefined,
    credentials: undefined,
    trunkNumber: undefined,
    registration: undefined,
  };
  assert.deepEqual(await namedFor(app, tenant, "72"), none);
  assert.deepEqual(await namedFor(app, app.root, "73"), none);
});
