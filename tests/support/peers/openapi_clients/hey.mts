// A program on a client that @hey-api/openapi-ts makes of the description.
import {
  createApplication,
  deleteApplication,
  listApplications,
  listCalls,
  readApplication,
  updateApplication,
} from "./hey/index.js";
import { client } from "./hey/client.gen.js";

const [baseUrl = "", AccountSid = "", token = ""] = process.argv.slice(2);
client.setConfig({
  baseUrl: baseUrl as "http://api.test",
  headers: { Authorization: `Basic ${btoa(`${AccountSid}:${token}`)}` },
});

const sids: string[] = [];
for (const FriendlyName of ["one", "two", "three"]) {
  const { data } = await createApplication({
    path: { AccountSid },
    body: { FriendlyName, Kind: "voice" },
  });
  sids.push(data!.sid);
}
const page = async (AfterSid?: string): Promise<string[]> => {
  const query = { PageSize: 2, ...AfterSid !== undefined && { AfterSid } };
  const { data } = await listApplications({ path: { AccountSid }, query });
  return data!.filter(({ sid }) => sids.includes(sid)).map(({ friendly_name }) => friendly_name);
};
const first = await page();
const second = await page(sids[1]);
const path = { AccountSid, Sid: sids[0]! };
const updated = await updateApplication({
  path,
  body: { FriendlyName: "ONE", VoiceCallerIdLookup: true },
});
const calls = await listCalls({ path: { AccountSid } });
const deleted = await deleteApplication({ path });
const { error } = await readApplication({ path });
const code: number = error!.code;
console.log(JSON.stringify({
  first,
  second,
  updated: [updated.data!.friendly_name, updated.data!.voice_caller_id_lookup],
  calls: calls.data!.total,
  deleted: deleted.response!.status,
  error: code,
}));
