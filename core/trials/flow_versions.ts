import type { AlsoGone } from "../model/record_types.ts";
import type { Change, Collection } from "../model/store.ts";
import { newBase } from "../model/resource.ts";
import type { Ports } from "../model/ports/ports.ts";
import type { Application } from "../model/resources/applications.ts";
import { type FlowVersion, flowVersions } from "../model/resources/flow_versions.ts";
import { designerLimits } from "./dry_run_limits.ts";

/** The account or API key that saves a flow. */
export interface Author {
  sid: string;
  email: string;
}

/**
 * Applications that keep each flow that is saved as a version, in the same commit; the oldest beyond
 * `designerLimits.versions` goes, and all of them with the Application.
 */
export function keepingVersions(
  applications: Collection<Application>,
  author: Author,
  ports: Pick<Ports, "newSid" | "now">,
): Collection<Application> {
  return {
    ...applications,
    insert: (change) => applications.insert(withVersion(null, change, author, ports)),
    update: (accountSid, sid, change) =>
      applications.update(
        accountSid,
        sid,
        (before) => withVersion(before, change(before), author, ports),
      ),
    remove: (accountSid, sid, change = (record) => ({ record })) =>
      applications.remove(accountSid, sid, (record) => {
        const removed = change(record);
        return {
          ...removed,
          gone: [...removed.gone ?? [], ...goneOf(record, record.flowVersions)],
        };
      }),
  };
}

function withVersion(
  before: Application | null,
  change: Change<Application>,
  author: Author,
  ports: Pick<Ports, "newSid" | "now">,
): Change<Application> {
  const { record: after } = change;
  if (after.flowVersion === (before?.flowVersion ?? 0)) return change;
  const versions = [
    ...before?.flow && before.flowVersions.length === 0 ? [versionOf(before, null, ports)] : [],
    ...after.flow ? [versionOf(after, author, ports)] : [],
  ];
  const all = [...after.flowVersions, ...versions.map(({ sid }) => sid)];
  const kept = all.slice(-designerLimits.versions);
  return {
    ...change,
    record: { ...after, flowVersions: kept },
    also: [
      ...change.also ?? [],
      ...versions.map((record) => ({ into: "flowVersions", record }) as const),
    ],
    gone: [...change.gone ?? [], ...goneOf(after, all.slice(0, all.length - kept.length))],
  };
}

const goneOf = ({ accountSid }: Application, sids: string[]): AlsoGone[] =>
  sids.map((sid) => ({ from: "flowVersions", accountSid, sid }));

/** The flow of an application as a version; `author` is null for a flow from before versions. */
function versionOf(
  { accountSid, sid, kind, flow, flowVersion }: Application,
  author: Author | null,
  ports: Pick<Ports, "newSid" | "now">,
): FlowVersion {
  return {
    ...newBase(flowVersions, accountSid, ports),
    applicationSid: sid,
    number: Math.max(1, flowVersion),
    kind,
    flow: flow ?? "",
    savedBy: author?.sid ?? null,
    savedByEmail: author?.email ?? null,
  };
}
