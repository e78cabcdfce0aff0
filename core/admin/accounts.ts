import { Buffer } from "node:buffer";
import type { Row } from "./table.ts";
import type { Json, Service } from "./service.ts";

const rowOf = (account: Json): Row => ({
  sid: account.sid,
  name: account.friendly_name,
  email: account.email_address,
  role: account.role,
  status: account.status,
  type: account.type,
  since: account.date_created,
});

/** The account of the caller, and its sub-accounts. */
export async function listAccounts(service: Service): Promise<Row[]> {
  const own = await service.accounts(`/${service.accountSid}.json`);
  return [own, ...await service.list("")].map(rowOf);
}

/** The Sids of the same accounts, without those that are closed: they have no resources. */
export async function accountSids(service: Service): Promise<string[]> {
  const accounts = await service.list("");
  return [
    service.accountSid,
    ...accounts.filter(({ status }) => status !== "closed").map(({ sid }) => String(sid)),
  ];
}

/** Makes a sub-account with a random password; its row has the AuthToken, which nothing else shows. */
export async function createAccount(
  service: Service,
  email: string,
  { name = "", isTest = false }: { name?: string | undefined; isTest?: boolean } = {},
): Promise<Row[]> {
  const form = {
    EmailAddress: email,
    Password: newPassword(),
    ...(name === "" ? {} : { FriendlyName: name }),
    ...isTest && { Type: "Test" },
  };
  const made = await service.accounts(".json", form);
  return [{ ...rowOf(made), token: made.auth_token }];
}

/** Sets the status of an account: active, suspended, or closed for ever. */
export async function setStatus(service: Service, sid: string, status: string): Promise<Row[]> {
  return [rowOf(await service.accounts(`/${sid}.json`, { Status: status }))];
}

/** Gives an account a new AuthToken; the former one stops at once. */
export async function rotateToken(service: Service, sid: string): Promise<Row[]> {
  const account = await service.accounts(`/${sid}.json`, { Password: newPassword() });
  return [{ ...rowOf(account), token: account.auth_token }];
}

/** Turns the second factor of an account's sign-ins at the console off. */
export async function resetSecondFactor(service: Service, sid: string): Promise<Row[]> {
  await service.remove("SecondFactor.json", sid);
  return [{ account: sid, "second factor": "off" }];
}

/** 256 random bits. */
const newPassword = (): string =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
