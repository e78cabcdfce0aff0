import assert from "node:assert/strict";
import { withDefaults } from "../../../core/model/resource.ts";
import type { Collection } from "../../../core/model/store.ts";
import { type Client, clients } from "../../../core/model/resources/clients.ts";
import { type App, startApp } from "../../support/service/app.ts";
import { holdCommits } from "../../support/service/hold_commits.ts";

const sidOf = (n: number) => clients.sidPrefix + String(n).padStart(32, "0");

const clientOf = (accountSid: string, login: string, n: number): Client => ({
  sid: sidOf(n),
  accountSid,
  dateCreated: n,
  dateUpdated: n,
  ...withDefaults(clients, { login, password: "secret" }),
} as Client);

/** A Client as the REST interface shows it. */
interface Wire {
  login: string;
}

/** Two Sids of Clients; the account has a Client of the first one. */
const [there, absent] = [sidOf(1), sidOf(2)];

/** The Clients that single GETs find. */
async function found({ root }: App): Promise<Wire[]> {
  const answers = await Promise.all([absent, there].map((sid) => root.get(`Clients/${sid}.json`)));
  return answers.filter(({ status }) => status === 200).map((answer) => answer.json());
}

const listed = async ({ root }: App, query: string): Promise<Wire[]> =>
  (await root.get(`Clients.json?${query}`)).json();

interface Change {
  login: string;
  make(records: Collection<Client>, account: string): Promise<unknown>;
}

const changes: Record<string, Change> = {
  changed: {
    login: "alice",
    make: (records, account) =>
      records.update(account, there, (record) => ({ record: { ...record, friendlyName: "new" } })),
  },
  inserted: {
    login: "bob",
    make: (records, account) => records.insert({ record: clientOf(account, "bob", 2) }),
  },
  removed: { login: "alice", make: (records, account) => records.remove(account, there) },
};

for (const [what, { login, make }] of Object.entries(changes)) {
  for (const query of ["PageSize=5", `Login=${login}`]) {
    Deno.test(`GETs agree with a list of ${query} before them, of a record that is ${what}`, async () => {
      using app = await startApp();
      const { root, ports: { records } } = app;
      await records.clients.insert({ record: clientOf(root.sid, "alice", 1) });
      await found(app); // Their results are cached: one Client, and the absence of another.
      using held = holdCommits(app);
      const changed = make(records.clients, root.sid);
      await held.made;

      const seen = listed(app, query).then(async (list) => ({ list, then: await found(app) }));
      await held.release();
      const { list, then } = await seen;
      await changed;

      const isAsked = (client: Wire) => query === "PageSize=5" || client.login === login;
      assert.deepEqual(list, then.filter(isAsked));
    });
  }
}
