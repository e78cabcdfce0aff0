import { Hono } from "hono";
import type { Context } from "hono";
import { audit } from "../../../core/accounts/audit.ts";
import { createFailedSignIns } from "../../../core/accounts/failed_sign_ins.ts";
import { takeCode } from "../../../core/accounts/session_guard.ts";
import { completeSession, endSession, endSessions } from "../../../core/accounts/sessions.ts";
import { consoleLimits } from "../../../core/accounts/session_limits.ts";
import { createSignIn, type SignInOutcome } from "../../../core/accounts/sign_in.ts";
import { networkOf } from "../../../core/base/networks.ts";
import type { Ports } from "../../../core/model/ports/ports.ts";
import type { ConsoleEnv } from "../frame/env.ts";
import { goTo, homeOf } from "../frame/links.ts";
import { Problem } from "../frame/parts.tsx";
import { showSignInPage } from "../frame/render.tsx";
import { browserOf, readForm, readOpenForm, requireSession, setSession } from "../frame/session.ts";

type Page = Context<ConsoleEnv>;

/** Signing in and out, and the second factor. */
export function signInPages(ports: Ports): Hono<ConsoleEnv> {
  const home = homeOf(ports.settings.baseUrl);
  const signIn = createSignIn(ports);
  const failures = createFailedSignIns(ports.now);
  const within = requireSession(ports);
  return new Hono<ConsoleEnv>()
    .get("/sign-in", (c) => {
      const problem = c.req.query("over") === undefined ? "" : "Your session has ended.";
      return showSignIn(c, { home, next: c.req.query("next") ?? "", problem }, ports);
    })
    .post("/sign-in", async (c) => {
      const form = await readOpenForm(c, ports);
      const [name, next] = [form.get("name") ?? "", form.get("next") ?? ""];
      const browser = browserOf(c);
      const done = await signIn({ ...browser, name, password: form.get("password") ?? "" });
      if (done.account !== null && done.outcome !== "busy") {
        const status = doneStatus[done.outcome];
        const count = done.outcome === "signedIn" ? 0 : failures.count(done.account.sid);
        if (count !== null) await note(c, { account: done.account, status, count }, ports);
      }
      if (done.outcome === "signedIn") {
        setSession(c, done.cookie, ports);
        const query = next === "" ? "" : `?${new URLSearchParams({ next })}`;
        return goTo(c, done.needsCode ? `${home}/code${query}` : home + ownPath(next));
      }
      c.status(done.outcome === "wrong" ? 403 : 429);
      return showSignIn(c, { home, name, next, problem: problemOf(done) }, ports);
    })
    .get("/code", within, (c) => showCode(c, { home, next: c.req.query("next") ?? "" }, ports))
    .post("/code", within, async (c) => {
      const form = await readForm(c, ports);
      const { session, caller: account } = c.var;
      const next = form.get("next") ?? "";
      if (session.isComplete) return goTo(c, home + ownPath(next));
      const code = form.get("code") ?? "";
      const sent = { code, network: networkOf(browserOf(c).from) };
      const isRight = await takeCode(account.sid, sent, ports);
      const count = isRight ? 0 : failures.count(account.sid);
      const status = isRight ? 200 : 403;
      if (count !== null) {
        await note(c, { account, status, count, action: "second-factor" }, ports);
      }
      if (!isRight) {
        c.status(403);
        const problem =
          "Wrong code, or a wait after five wrong ones: a minute at first, an hour at most. Codes change every 30 seconds. A recovery code works at once.";
        return showCode(c, { home, next, problem }, ports);
      }
      setSession(c, await completeSession({ session, account }, browserOf(c), ports), ports);
      return goTo(c, home + ownPath(next));
    })
    .post("/sign-out", within, async (c) => {
      const form = await readForm(c, ports);
      const { session, caller } = c.var;
      if (form.get("everywhere") !== null) await endSessions(caller.sid, ports);
      await endSession(session, ports);
      setSession(c, "", ports);
      await note(c, { account: caller, status: 200, action: "sign-out" }, ports);
      return goTo(c, `${home}/sign-in`);
    });
}

const doneStatus = { signedIn: 200, wrong: 403, locked: 429 } as const;

interface Noted {
  account: { sid: string; emailAddress: string };
  status: number;
  action?: string;
  /** Failed sign-ins of the last hour that this entry stands for, up to and with this one. */
  count?: number;
}

const note = (c: Page, { account, status, action = "sign-in", count = 0 }: Noted, ports: Ports) =>
  audit({
    ...browserOf(c),
    accountSid: account.sid,
    actor: account,
    action,
    status,
    parameters: count > consoleLimits.auditedFailures ? [["FailedInAnHour", String(count)]] : [],
    requestId: c.var.requestId,
  }, ports);

/** A path of the console to go on to, whatever the form says; empty for another address. */
function ownPath(next: string): string {
  const url = URL.parse(next, "http://own.invalid");
  const isOwn = next.startsWith("/") && url?.origin === "http://own.invalid";
  return isOwn ? url.pathname + url.search : "";
}

const problemOf = (done: Exclude<SignInOutcome, { outcome: "signedIn" }>): string => {
  if (done.outcome === "wrong") return "Wrong name or password.";
  if (done.outcome === "busy") return "Too many sign-ins at the moment. Try again in a second.";
  return `Too many failed sign-ins from your network. Try again in ${
    minutes(done.waitMs)
  }, or use the AuthToken.`;
};

function minutes(ms: number): string {
  const count = Math.ceil(ms / 60_000);
  if (ms <= 60_000) return "a minute";
  return `${count} minutes`;
}

interface SignInForm {
  home: string;
  next: string;
  name?: string;
  problem?: string;
}

const showSignIn = (c: Page, { home, next, name = "", problem }: SignInForm, ports: Ports) =>
  showSignInPage(c, {
    title: "Sign in",
    content: (
      <div class="card door-card">
        <div>
          <p class="brand">Switchboard</p>
          <h1>Sign in to the console</h1>
        </div>
        {problem && <Problem>{problem}</Problem>}
        <form method="post" action={`${home}/sign-in`} class="stack">
          <input type="hidden" name="next" value={next} />
          <label for="name">E-mail address or Account Sid</label>
          <input
            id="name"
            name="name"
            value={name}
            autocomplete="username"
            required
            autofocus={name === ""}
            autocapitalize="none"
            spellcheck={false}
          />
          <label for="password">Password or AuthToken</label>
          <input
            id="password"
            name="password"
            type="password"
            autocomplete="current-password"
            required
            autofocus={name !== ""}
          />
          <button type="submit" class="main">Sign in</button>
        </form>
        <p class="hint">
          The first start wrote the AuthToken of the root account to <code>credentials.json</code>
          {" "}
          in the data folder.
        </p>
      </div>
    ),
  }, ports);

const showCode = (
  c: Page,
  { home, next, problem }: { home: string; next: string; problem?: string },
  ports: Ports,
) =>
  showSignInPage(c, {
    title: "Second factor",
    content: (
      <div class="card door-card">
        <div>
          <p class="brand">Switchboard</p>
          <h1>Enter the code of your app</h1>
        </div>
        {problem && <Problem>{problem}</Problem>}
        <form method="post" action={`${home}/code`} class="stack">
          <input type="hidden" name="csrf" value={c.var.csrf} />
          <input type="hidden" name="next" value={next} />
          <label for="code">Six digits, or a recovery code</label>
          <input
            id="code"
            name="code"
            autocomplete="one-time-code"
            required
            autofocus
            spellcheck={false}
          />
          <button type="submit" class="main">Continue</button>
        </form>
        <form method="post" action={`${home}/sign-out`}>
          <input type="hidden" name="csrf" value={c.var.csrf} />
          <button type="submit" class="quiet">Cancel</button>
        </form>
      </div>
    ),
  }, ports);
