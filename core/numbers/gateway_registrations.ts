import { createHash } from "node:crypto";
import { effectiveStatus } from "../accounts/access.ts";
import { tenantField } from "../accounts/tenant.ts";
import type { GatewayReport, Registration } from "../protocol/trunks.ts";
import { forEachIsolated } from "../webhooks/for_each_isolated.ts";
import { Fault } from "../base/faults.ts";
import { isLost } from "../model/ports/companion_ports.ts";
import type { Ports } from "../model/ports/ports.ts";
import { type Gateway, notRegistered } from "../model/resources/gateways.ts";
import { assigneeOf } from "./assignment.ts";

/** The registrations that a companion is to keep up: those of active accounts, each with one. */
export async function registrationsOf(
  companionId: string,
  ports: Ports,
): Promise<Registration[]> {
  const living = await livingWith(companionId, ports);
  const gateways = await ports.records.gateways.group("registering", "yes");
  const own = gateways.filter(({ sid }) => assigneeOf(sid, living) === companionId);
  const wanted: Registration[] = [];
  await forEachIsolated(own, {
    name: "have Gateways registered",
    label: ({ sid }) => sid,
    async act(gateway) {
      const registration = await registrationOf(gateway, ports);
      if (registration !== null) wanted.push(registration);
    },
  }, ports);
  return wanted;
}

/** Null when the account of a Gateway is not active. */
async function registrationOf(gateway: Gateway, ports: Ports): Promise<Registration | null> {
  const { sid: gatewaySid, accountSid, userName, password, proxy, ttl } = gateway;
  const account = await ports.accounts.get(accountSid);
  if (account === null || await effectiveStatus(account, ports.accounts) !== "active") return null;
  const publicOnly = account.ancestors.length > 0 && !ports.settings.trunks.allowPrivate;
  const of = { gatewaySid, accountSid, ...tenantField(account), version: versionOf(gateway) };
  return { ...of, userName, password, proxy, publicOnly, ttlS: ttl };
}

/** Fingerprint of the registration settings; changes when any of them does. */
const versionOf = ({ userName, password, proxy, ttl }: Gateway): string => {
  const settings = JSON.stringify([userName, password, proxy, ttl]);
  return createHash("sha256").update(settings).digest("hex").slice(0, 16);
};

/** The companions with a recent heartbeat, and the requesting one. */
async function livingWith(companionId: string, { companions }: Ports): Promise<string[]> {
  const heard = (await companions.list()).filter((one) => !isLost(one));
  return [...new Set([...heard.map(({ id }) => id), companionId])];
}

/**
 * Stores a companion's report of a registration. Only the assigned companion may report a Gateway, and
 * only its current settings. The companion that registered it until now may report its end.
 */
export async function takeGatewayReport(report: GatewayReport, ports: Ports): Promise<void> {
  const { accountSid, gatewaySid, companionId, status } = report;
  const gateway = await ports.records.gateways.get(accountSid, gatewaySid);
  if (gateway === null) return;
  const isAssigned = await mayRegister(gateway, companionId, ports);
  await change(gateway, (now) => {
    if (status === "unregistered") return now.companionId === companionId ? notRegistered : null;
    if (!isAssigned || !now.register || versionOf(now) !== report.version) return null;
    return { status, reason: status === "failed" ? report.reason ?? null : null, companionId };
  }, ports);
}

async function mayRegister(gateway: Gateway, companionId: string, ports: Ports): Promise<boolean> {
  const assignee = assigneeOf(gateway.sid, await livingWith(companionId, ports));
  return assignee === companionId && await registrationOf(gateway, ports) !== null;
}

/** Marks the registrations of a lost companion as not registered. Returns their number. */
export async function forgetRegistrations(companionId: string, ports: Ports): Promise<number> {
  const lost = { ...notRegistered, reason: "the companion that kept it is gone" };
  const kept = await ports.records.gateways.group("kept", companionId);
  await forEachIsolated(kept, {
    name: "show Gateways as unregistered",
    label: ({ sid }) => sid,
    act: (one) => change(one, (now) => now.companionId === companionId ? lost : null, ports),
  }, ports);
  return kept.length;
}

type State = Pick<Gateway, "status" | "reason" | "companionId">;

/** Writes a new state, where it is another than the old. A Gateway that is gone stays so. */
async function change(
  { accountSid, sid }: Gateway,
  stateOf: (gateway: Gateway) => State | null,
  { records, now }: Ports,
): Promise<void> {
  try {
    await records.gateways.update(accountSid, sid, (gateway) => {
      const state = stateOf(gateway);
      const isNew = state !== null &&
        (["status", "reason", "companionId"] as const).some((key) => state[key] !== gateway[key]);
      return { record: isNew ? { ...gateway, ...state, dateUpdated: now() } : gateway };
    });
  } catch (error) {
    const isGone = error instanceof Fault && error.fault === "notFound";
    if (!isGone) throw error;
  }
}
