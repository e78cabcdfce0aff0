import type { Job } from "../model/job.ts";
import { newBase } from "../model/resource.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Account } from "../model/resources/accounts.ts";
import { auditEntries, type AuditEntry } from "../model/resources/console/audit_entries.ts";
import { consoleLimits } from "./session_limits.ts";
import type { Browser } from "./sessions.ts";

/** A change that was made at the console: the actor, the change, the client address. */
export interface AuditedChange extends Browser {
  /** The account whose resource it is. */
  accountSid: string;
  actor: Pick<Account, "sid" | "emailAddress">;
  action: string;
  target?: string;
  parameters?: Iterable<[name: string, value: string]>;
  /** HTTP status of the response. */
  status: number;
  requestId?: string | null;
  /** Jobs that it causes; committed with its entry. */
  jobs?: Job[];
}

/** Parameters whose values stand in no log. A flow may hold passwords of external services. */
const isSecret = (name: string): boolean => /password|token|secret|pin$|^code$|^flow$/i.test(name);

/** Parameters without secrets, cut at the longest text of an entry. */
function shownOf(parameters: Iterable<[name: string, value: string]>): Record<string, string> {
  const shown: Record<string, string> = {};
  let room: number = consoleLimits.parametersLength;
  for (const [name, value] of parameters) {
    const text = isSecret(name) ? "********" : value;
    room -= name.length + text.length;
    if (room < 0) break;
    shown[name] = text;
  }
  return shown;
}

/** Writes a change into the audit log of an account. */
export async function audit(
  change: AuditedChange,
  ports: Pick<Ports, "records" | "newSid" | "now">,
): Promise<void> {
  const { accountSid, actor, action, target = "", parameters = [], status, from } = change;
  const record: AuditEntry = {
    ...newBase(auditEntries, accountSid, ports),
    actorSid: actor.sid,
    actorEmail: actor.emailAddress,
    action,
    target: target.slice(0, consoleLimits.userAgentLength),
    parameters: shownOf(parameters),
    status,
    from,
    userAgent: change.userAgent.slice(0, consoleLimits.userAgentLength),
    requestId: change.requestId ?? null,
  };
  await ports.records.auditEntries.insert({ record, ...change.jobs && { jobs: change.jobs } });
}
