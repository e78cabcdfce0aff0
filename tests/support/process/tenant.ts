import assert from "node:assert/strict";
import { openSoftphone, type Softphone } from "../sip/softphone.ts";
import type { Json, System } from "./system.ts";

/** An account right below the root of a system, as a customer has one. */
export interface Tenant {
  readonly accountSid: string;
  readonly authToken: string;
  /** Credentials of the account, for requests that a test writes itself. */
  readonly headers: { authorization: string };
  /** Address of the account's resources, with a slash at its end. */
  readonly api: string;
  /** Form POST, or GET, below the account; the answer as JSON. */
  post(path: string, form?: Record<string, string>): Promise<Json>;
  get(path: string): Promise<Json>;
  /** Makes a Client with a VoiceUrl, if given, and connects a softphone that is registered as it. */
  phone(login: string, voiceUrl?: string): Promise<Softphone>;
}

/** Makes a tenant; its name makes its e-mail address and its password. */
export async function newTenant(system: System, name: string): Promise<Tenant> {
  const { sid: accountSid, auth_token: authToken } = await system.post("../../Accounts.json", {
    FriendlyName: name,
    EmailAddress: `${name}@tenants.test`,
    Password: `Secret-of-${name}-1`,
  });
  const api = `${system.baseUrl}/2012-04-24/Accounts/${accountSid}/`;
  const headers = { authorization: `Basic ${btoa(`${accountSid}:${authToken}`)}` };
  const json = async (path: string, init: RequestInit): Promise<Json> => {
    const response = await fetch(api + path, { headers, ...init });
    const text = await response.text();
    assert.ok(response.ok, `${response.url}: ${response.status} ${text}`);
    return JSON.parse(text);
  };
  const tenant: Tenant = {
    accountSid,
    authToken,
    headers,
    api,
    get: (path) => json(path, {}),
    post: (path, form = {}) => json(path, { method: "POST", body: new URLSearchParams(form) }),
    async phone(login, voiceUrl) {
      const password = `${login}-secret`;
      await tenant.post("Clients.json", {
        Login: login,
        Password: password,
        ...voiceUrl === undefined ? {} : { VoiceUrl: voiceUrl },
      });
      const phone = await openSoftphone({
        url: system.wsUrl,
        login,
        password,
        domain: "localhost",
      });
      assert.equal((await phone.register()).status, 200);
      return phone;
    },
  };
  return tenant;
}
