import { Hono } from "hono";
import { Fault } from "../../../core/base/faults.ts";
import { authTokenUses } from "../../../core/model/resources/views/auth_tokens.ts";
import { secondFactors } from "../../../core/model/resources/views/second_factors.ts";
import type { Row } from "../frame/api.ts";
import { change } from "../frame/change.ts";
import type { ConsoleEnv, Page } from "../frame/env.ts";
import { fieldsOf, filled, Inputs, valuesOf } from "../frame/form.tsx";
import { goTo, homeOf } from "../frame/links.ts";
import { problemOf } from "../frame/problem_of.ts";
import { Act, Empty, Facts, Heading, None, Problem, Status, Time } from "../frame/parts.tsx";
import { belowOf, showPage } from "../frame/render.tsx";
import { readForm } from "../frame/session.ts";
import { Pager, Table } from "../frame/table.tsx";
import type { KindPorts } from "../pages/kind_pages.tsx";
import { Limits } from "./limits.tsx";

/** The accounts that the caller acts for, and the settings of one of them. */
export function accountPages(with_: KindPorts): Hono<ConsoleEnv> {
  const { ports } = with_;
  return new Hono<ConsoleEnv>()
    .get("/", (c) => showAll(c, {}, with_))
    .post("/", async (c) => {
      const form = await readForm(c, ports);
      try {
        const made = await change(c, { path: "/", form: filled(form) }, ports);
        return goTo(c, `${belowOf(c, ports)}/Accounts/${made?.sid}?done=created`);
      } catch (error) {
        return await showAll(c, { problem: problemOf(c, error) }, with_);
      }
    })
    .get("/:sid", (c) => showOne(c, {}, with_))
    .post("/:sid/second-factor", async (c) => {
      await readForm(c, ports);
      const { sid: accountSid } = await c.var.api.read(`/${c.req.param("sid")}`);
      if (accountSid === c.var.caller.sid) {
        throw new Fault("denied", "Security turns your own second factor off, with a code");
      }
      const path = `/${accountSid}/${secondFactors.path}`;
      await change(c, { method: "DELETE", path, accountSid }, ports);
      return goTo(c, `${belowOf(c, ports)}/Accounts/${accountSid}?done=factor-reset`);
    })
    .post("/:sid/limits", (c) => saved(c, { schema: "LimitsUpdate", below: "/Limits" }, with_))
    .post("/:sid", (c) => saved(c, { schema: "AccountUpdate", below: "" }, with_));
}

/** Saves the changes of a form to an account, or to its limits. */
async function saved(
  c: Page,
  { schema, below }: { schema: string; below: string },
  with_: KindPorts,
) {
  const { ports } = with_;
  const form = await readForm(c, ports);
  const account = `/${c.req.param("sid")}`;
  const path = `${account}${below}`;
  const before = valuesOf(fieldsOf(with_.schemaOf(schema)), await c.var.api.read(path));
  const sent = filled(form, before);
  for (const [name, value] of [...sent]) if (before[name] === value) sent.delete(name);
  try {
    if (sent.size > 0) await change(c, { path, form: sent }, ports);
    return goTo(c, `${belowOf(c, ports)}/Accounts${account}?done=saved`);
  } catch (error) {
    return await showOne(c, { problem: problemOf(c, error) }, with_);
  }
}

interface Tried {
  problem?: string;
}

/** Accounts that a page of the tree has, and those that each of them shows below it. */
const [pageSize, mostBelow] = ["25", 5];

/** An account of the tree, with some of those below it. */
interface Branch {
  account: Row;
  below: Row[];
  total: number;
}

/** The account at hand, those directly below it, and the first ones below each of these. */
async function showAll(c: Page, { problem }: Tried, { ports, schemaOf }: KindPorts) {
  const to = `${belowOf(c, ports)}/Accounts`;
  const { account, caller } = c.var;
  const query = new URLSearchParams(new URL(c.req.url).searchParams);
  query.delete("done");
  query.set("PageSize", pageSize);
  const rows = await c.var.api.list("Accounts", query);
  const branches = await Promise.all(rows.items.map((one) => branchOf(c, one)));
  const isOwn = account.sid === caller.sid;
  const content = (
    <>
      <Heading title="Accounts" kind={`Below ${account.friendly_name}`}>
        <a class="button" href={`${to}/${account.sid}`}>Settings of {account.friendly_name}</a>
      </Heading>
      {problem && <Problem>{problem}</Problem>}
      {branches.length === 0
        ? <Empty>There is no account below this one.</Empty>
        : <Tree {...{ branches, to }} home={homeOf(ports.settings.baseUrl)} />}
      <Pager to={to} rows={rows} />
      {isOwn && (
        <details class="card" open={problem !== undefined}>
          <summary>New sub-account</summary>
          <form method="post" action={to} class="stack">
            <input type="hidden" name="csrf" value={c.var.csrf} />
            <Inputs fields={fieldsOf(schemaOf("AccountCreate"))} unset="default" />
            <button type="submit" class="main">Create</button>
          </form>
        </details>
      )}
    </>
  );
  return showPage(c, { title: "Accounts", section: "Accounts", content }, ports);
}

async function branchOf(c: Page, account: Row): Promise<Branch> {
  const found = await c.var.apiFor(account.sid).list("Accounts", { PageSize: String(mostBelow) });
  return { account, below: found.items, total: found.total ?? found.items.length };
}

const Tree = ({ branches, to, home }: { branches: Branch[]; to: string; home: string }) => {
  const branchBySid = new Map(branches.map((branch) => [branch.account.sid, branch]));
  const rows = branches.flatMap(({ account, below }) => [account, ...below]);
  return (
    <Table
      caption="Accounts"
      rows={rows}
      columns={[
        {
          title: "Name",
          cell: (row) => (
            <a
              href={`${home}/${row.sid}`}
              class={branchBySid.has(row.sid) ? "cut" : "cut branch"}
            >
              {String(row.friendly_name)}
            </a>
          ),
        },
        { title: "E-mail", cell: (row) => <span class="cut">{String(row.email_address)}</span> },
        { title: "Role", cell: (row) => String(row.role) },
        { title: "Status", cell: (row) => <Status value={row.status} /> },
        {
          title: "Below it",
          isNumber: true,
          cell: ({ sid }) => {
            const branch = branchBySid.get(sid);
            return branch === undefined || branch.total === 0
              ? <None />
              : <a href={`${home}/${sid}/Accounts`}>{branch.total.toLocaleString("en")}</a>;
          },
        },
        { title: "Settings", cell: (row) => <a href={`${to}/${row.sid}`}>Settings</a> },
      ]}
    />
  );
};

async function showOne(c: Page, { problem }: Tried, { ports, schemaOf }: KindPorts) {
  const home = homeOf(ports.settings.baseUrl);
  const sid = c.req.param("sid");
  const [account, limits, uses, factor] = await Promise.all([
    c.var.api.read(`/${sid}`),
    c.var.api.read(`/${sid}/Limits`),
    c.var.api.read(`/${sid}/${authTokenUses.path}`),
    c.var.api.read(`/${sid}/${secondFactors.path}`),
  ]);
  const to = `${belowOf(c, ports)}/Accounts/${sid}`;
  const fields = fieldsOf(schemaOf("AccountUpdate"));
  const title = String(account.friendly_name);
  const content = (
    <>
      <Heading title={title} kind="Accounts" up={`${belowOf(c, ports)}/Accounts`}>
        {account.sid !== c.var.account.sid && (
          <a class="button" href={`${home}/${account.sid}`}>Work in this account</a>
        )}
        <StatusActs account={account} isOwn={sid === c.var.caller.sid} to={to} csrf={c.var.csrf} />
      </Heading>
      {problem && <Problem>{problem}</Problem>}
      <AccountFacts account={account} uses={uses} />
      <form
        method="post"
        action={to}
        class="card stack"
      >
        <h2>Settings</h2>
        <input type="hidden" name="csrf" value={c.var.csrf} />
        <Inputs
          fields={fields.filter(({ name }) => name !== "Status")}
          values={valuesOf(fields, account)}
        />
        <button type="submit" class="main">Save</button>
      </form>
      <Limits
        {...{ limits, to }}
        isRoot={account.sid === c.var.caller.sid && c.var.caller.ancestors.length === 0}
        fields={fieldsOf(schemaOf("LimitsUpdate"))}
        maySet={account.sid !== c.var.caller.sid}
        csrf={c.var.csrf}
      />
      <Factor isOwn={account.sid === c.var.caller.sid} factor={factor} to={to} csrf={c.var.csrf} />
    </>
  );
  return showPage(c, { title, section: "Accounts", content }, ports);
}

const AccountFacts = ({ account, uses }: { account: Row; uses: Row }) => (
  <section class="card">
    <Facts
      facts={[
        ["Sid", <code class="sid">{account.sid}</code>],
        ["E-mail", String(account.email_address)],
        ["Role", String(account.role)],
        ["Status", <Status value={account.status} />],
        ["Created", <Time at={account.date_created} />],
        [
          "AuthToken",
          <details>
            <summary>Show</summary>
            <code class="sid">{String(account.auth_token)}</code>
          </details>,
        ],
        ["AuthToken last used", <Time at={uses.date_auth_token_last_used} />],
        uses.date_secondary_auth_token_last_used
          ? [
            "Secondary last used",
            <Time at={uses.date_secondary_auth_token_last_used} />,
          ]
          : ["", null],
      ]}
    />
  </section>
);

/** Actions on an account as a whole. */
const StatusActs = ({ account, isOwn, to, csrf }: {
  account: Row;
  isOwn: boolean;
  to: string;
  csrf: string;
}) => {
  if (isOwn || account.status === "closed") return null;
  const name = String(account.friendly_name);
  return (
    <>
      {account.status === "active" && (
        <Act
          to={to}
          csrf={csrf}
          label="Suspend"
          hidden={{ Status: "suspended" }}
          confirm={`Suspend ${name}? Its calls end, and it can change nothing until it is active again.`}
        />
      )}
      {account.status === "suspended" && (
        <Act to={to} csrf={csrf} label="Activate" look="main" hidden={{ Status: "active" }} />
      )}
      <Act
        to={to}
        csrf={csrf}
        label="Close"
        look="danger"
        hidden={{ Status: "closed" }}
        confirm={`Close ${name} for good? Its numbers are released, and nothing can open it again.`}
      />
    </>
  );
};

/** The second factor of an account, which an account above it can turn off. */
const Factor = ({ isOwn, factor, to, csrf }: {
  isOwn: boolean;
  factor: Row;
  to: string;
  csrf: string;
}) => (
  <section class="card stack">
    <h2>Second factor</h2>
    {factor.status === "off"
      ? <p class="soft">Off: sign-ins at the console take a password or an AuthToken alone.</p>
      : <p>On, with {String(factor.recovery_codes_left)} recovery codes left.</p>}
    {factor.status === "on" && !isOwn && (
      <>
        <p class="soft">
          Reset it when its owner has lost it: all sessions of the account end, and the next sign-in
          asks for the password alone.
        </p>
        <Act
          to={`${to}/second-factor`}
          csrf={csrf}
          label="Reset"
          look="stop"
          confirm="Turn the second factor of this account off?"
        />
      </>
    )}
  </section>
);
