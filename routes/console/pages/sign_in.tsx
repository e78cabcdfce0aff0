import { Hono } from "hono";
import type { Context } from "hono";
import { audit } from "../../../core/console/audit.ts";
import { takeCode } from "../../../core/console/guard.ts";
import { completeSession, endSession, endSessions } from "../../../core/console/sessions.ts";
import { createSignIn } from "../../../core/console/sign_in.ts";
import type { Ports } from "../../../core/ports/ports.ts";
import type { ConsoleEnv } from "../frame/env.ts";
import { homeOf } from "../frame/links.ts";
import { Problem } from "../frame/parts.tsx";
import { showDoor } from "../frame/render.tsx";
import { browserOf, readForm, readOpenForm, requireSession, setSession } from "../frame/session.ts";

type Page = Context<ConsoleEnv>;

/** Signing in and out, and the second factor. */
export function signInPages(ports: Ports): Hono<ConsoleEnv> {
  const home = homeOf(ports.settings.baseUrl);
  const signIn = createSignIn(ports);
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
      if (done.account !== null) await note(c, done.account, doneStatus[done.outcome], ports);
      if (done.outcome === "signedIn") {
        setSession(c, done.cookie, ports);
        const query = next === "" ? "" : `?${new URLSearchParams({ next })}`;
        return c.redirect(done.needsCode ? `${home}/code${query}` : home + ownPath(next), 303);
      }
      c.status(done.outcome === "locked" ? 429 : 403);
      const problem = done.outcome === "locked"
        ? `Too many failed sign-ins. Try again in ${minutes(done.waitMs)}.`
        : "Wrong name or password.";
      return showSignIn(c, { home, name, next, problem }, ports);
    })
    .get("/code", within, (c) => showCode(c, { home, next: c.req.query("next") ?? "" }, ports))
    .post("/code", within, async (c) => {
      const form = await readForm(c, ports);
      const { session, caller: account } = c.var;
      const next = form.get("next") ?? "";
      if (session.isComplete) return c.redirect(home + ownPath(next), 303);
      const isRight = await takeCode(account.sid, form.get("code") ?? "", ports);
      await note(c, account, isRight ? 200 : 403, ports, "second-factor");
      if (!isRight) {
        c.status(403);
        const problem = "Wrong code, or too many wrong ones. Codes change every 30 seconds.";
        return showCode(c, { home, next, problem }, ports);
      }
      setSession(c, await completeSession({ session, account }, browserOf(c), ports), ports);
      return c.redirect(home + ownPath(next), 303);
    })
    .post("/sign-out", within, async (c) => {
      const form = await readForm(c, ports);
      const { session, caller } = c.var;
      if (form.get("everywhere") !== null) await endSessions(caller.sid, ports);
      await endSession(session, ports);
      setSession(c, "", ports);
      await note(c, caller, 200, ports, "sign-out");
      return c.redirect(`${home}/sign-in`, 303);
    });
}

const doneStatus = { signedIn: 200, wrong: 403, locked: 429 } as const;

const note = (
  c: Page,
  account: { sid: string; emailAddress: string },
  status: number,
  ports: Ports,
  action = "sign-in",
) =>
  audit({
    ...browserOf(c),
    accountSid: account.sid,
    actor: account,
    action,
    status,
    requestId: c.var.requestId,
  }, ports);

/** Where to go on: a path of the console, whatever the form says. */
const ownPath = (next: string): string => /^\/(?!\/)[^\\]*$/.test(next) ? next : "";

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
  showDoor(c, {
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
  showDoor(c, {
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
