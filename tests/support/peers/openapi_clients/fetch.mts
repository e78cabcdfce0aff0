// A program on a client that openapi-typescript and openapi-fetch make of the description.
import createClient from "openapi-fetch";
import type { paths } from "./api.js";

const [baseUrl = "", AccountSid = "", token = ""] = process.argv.slice(2);
const client = createClient<paths>({
  baseUrl,
  headers: { Authorization: `Basic ${btoa(`${AccountSid}:${token}`)}` },
});
const list = "/2012-04-24/Accounts/{AccountSid}/Applications.json";
const one = "/2012-04-24/Accounts/{AccountSid}/Applications/{Sid}.json";

const sids: string[] = [];
for (const FriendlyName of ["one", "two", "three"]) {
  const { data } = await client.POST(list, {
    params: { path: { AccountSid } },
    body: { FriendlyName, Kind: "voice" },
  });
  sids.push(data!.sid);
}
const page = async (AfterSid?: string): Promise<string[]> => {
  const query = { PageSize: 2, ...AfterSid !== undefined && { AfterSid } };
  const { data } = await client.GET(list, { params: { path: { AccountSid }, query } });
  return data!.filter(({ sid }) => sids.includes(sid)).map(({ friendly_name }) => friendly_name);
};
const first = await page();
const second = await page(sids[1]);
const path = { AccountSid, Sid: sids[0]! };
const updated = await client.POST(one, {
  params: { path },
  body: { FriendlyName: "ONE", VoiceCallerIdLookup: true },
});
const calls = await client.GET("/2012-04-24/Accounts/{AccountSid}/Calls.json", {
  params: { path: { AccountSid } },
});
const deleted = await client.DELETE(one, { params: { path } });
const { error } = await client.GET(one, { params: { path } });
const code: number = error!.code;
console.log(JSON.stringify({
  first,
  second,
  updated: [updated.data!.friendly_name, updated.data!.voice_caller_id_lookup],
  calls: calls.data!.total,
  deleted: deleted.response.status,
  error: code,
}));
