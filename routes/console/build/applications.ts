import { applications } from "../../../core/model/resources/applications.ts";
import type { Api } from "../frame/api.ts";

/** Applications that a form offers. */
const most = "1000";

/**
 * The applications of an account as the options of a choice, those of one kind alone where it is given.
 * `none` is the title of the option that chooses none.
 */
export async function applicationOptions(
  api: Api,
  { none = "none", kind }: { none?: string; kind?: "voice" | "sms" | "ussd" } = {},
): Promise<[sid: string, title: string][]> {
  const { items } = await api.list(applications.path, { PageSize: most });
  const fitting = items.filter((row) => kind === undefined || row.kind === kind);
  return [
    ["", none],
    ...fitting.map(({ sid, friendly_name }): [string, string] => [sid, String(friendly_name)]),
  ];
}
