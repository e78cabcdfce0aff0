import { Hono } from "hono";
import { audit } from "../../../core/accounts/audit.ts";
import { guardOf, takeCode } from "../../../core/accounts/session_guard.ts";
import {
  confirmFactor,
  offeredSecret,
  offerFactor,
  removeFactor,
} from "../../../core/accounts/second_factor.ts";
import { networkOf } from "../../../core/base/networks.ts";
import { endSession, endSessions, sessionsOf } from "../../../core/accounts/sessions.ts";
import { otpauthUrl } from "../../../core/accounts/totp.ts";
import type { Ports } from "../../../core/model/ports/ports.ts";
import { Copied } from "../frame/copied.tsx";
import type { ConsoleEnv, Page } from "../frame/env.ts";
import { goTo, homeOf } from "../frame/links.ts";
import { Act, Heading, Problem, Time } from "../frame/parts.tsx";
import { Qr } from "../frame/qr.tsx";
import { showPage } from "../frame/render.tsx";
import { browserOf, readForm } from "../frame/session.ts";
import { Table } from "../frame/table.tsx";
import { browserName } from "./browser_name.ts";

/** The sessions of the signed-in account, and its second factor. */
export function securityPages(ports: Ports): Hono<ConsoleEnv> {
  const to = `${homeOf(ports.settings.baseUrl)}/security`;
  const note = (c: Page, action: string, status = 200) =>
    audit({
      ...browserOf(c),
      accountSid: c.var.caller.sid,
      actor: c.var.caller,
      action,
      status,
      requestId: c.var.requestId,
    }, ports);
  return new Hono<ConsoleEnv>()
    .get("/", (c) => show(c, {}, ports))
    .post("/sessions", async (c) => {
      const form = await readForm(c, ports);
      const sid = form.get("sid");
      const accountSid = c.var.caller.sid;
      if (sid === null) await endSessions(accountSid, ports, c.var.session.sid);
      else await endSession({ accountSid, sid }, ports);
      await note(c, sid === null ? "end-other-sessions" : "end-session");
      return goTo(c, `${to}?done=signed-out-elsewhere`);
    })
    .post("/factor", async (c) => {
      await readForm(c, ports);
      const secret = await offerFactor(c.var.caller.sid, ports);
      return show(c, secret === null ? {} : { secret }, ports);
    })
    .post("/factor/confirm", async (c) => {
      const form = await readForm(c, ports);
      const codes = await confirmFactor(c.var.caller.sid, form.get("code") ?? "", ports);
      await note(c, "second-factor-on", codes === null ? 400 : 200);
      if (codes !== null) return show(c, { codes }, ports);
      const secret = await offeredSecret(c.var.caller.sid, ports);
      c.status(400);
      const problem = "Wrong code. Codes change every 30 seconds.";
      return show(c, { ...secret !== null && { secret }, problem }, ports);
    })
    .post("/factor/remove", async (c) => {
      const form = await readForm(c, ports);
      const sent = { code: form.get("code") ?? "", network: networkOf(browserOf(c).from) };
      const isRight = await takeCode(c.var.caller.sid, sent, ports);
      if (isRight) await removeFactor(c.var.caller.sid, ports);
      await note(c, "second-factor-off", isRight ? 200 : 403);
      if (isRight) return goTo(c, `${to}?done=saved`);
      c.status(403);
      return show(c, { problem: "Wrong code. The second factor is still on." }, ports);
    });
}

interface Shown {
  /** The secret that is offered. */
  secret?: string;
  /** The recovery codes, once. */
  codes?: string[];
  problem?: string;
}

async function show(c: Page, shown: Shown, ports: Ports): Promise<Response> {
  const { caller, session, csrf } = c.var;
  const to = `${homeOf(ports.settings.baseUrl)}/security`;
  const [guard, sessions] = await Promise.all([
    guardOf(caller.sid, ports),
    sessionsOf(caller.sid, ports),
  ]);
  const content = (
    <>
      <Heading title="Security" kind={caller.emailAddress} />
      {shown.problem && <Problem>{shown.problem}</Problem>}
      <section class="card">
        <h2>Second factor</h2>
        <Factor
          {...shown}
          isOn={(guard?.totpSecret ?? null) !== null}
          {...{ to, csrf }}
          name={caller.emailAddress}
          left={guard?.recoveryHashes.length ?? 0}
        />
      </section>
      <section class="card">
        <div class="heading-row">
          <h2>Sessions</h2>
          <Act to={`${to}/sessions`} csrf={csrf} label="End all others" />
        </div>
        <Table
          caption="Sessions"
          rows={sessions.map((one) => ({ ...one }))}
          columns={[
            {
              title: "Browser",
              cell: ({ userAgent }) => (
                <span class="cut" title={String(userAgent)}>{browserName(String(userAgent))}</span>
              ),
            },
            { title: "Address", cell: ({ from }) => String(from) },
            { title: "Opened", cell: ({ dateCreated }) => <Time at={dateCreated} /> },
            { title: "Last used", cell: ({ seenAt }) => <Time at={seenAt} /> },
            {
              title: "End",
              cell: ({ sid }) =>
                sid === session.sid ? <span class="tag">this one</span> : (
                  <Act
                    to={`${to}/sessions`}
                    csrf={csrf}
                    label="End"
                    look="quiet"
                    hidden={{ sid }}
                  />
                ),
            },
          ]}
        />
      </section>
    </>
  );
  return showPage(c, { title: "Security", section: "security", content }, ports);
}

interface FactorProps extends Shown {
  isOn: boolean;
  to: string;
  csrf: string;
  name: string;
  /** Recovery codes that are left. */
  left: number;
}

function Factor({ isOn, secret, codes, to, csrf, name, left }: FactorProps) {
  if (codes !== undefined) {
    return (
      <>
        <p class="notice">
          The second factor is on. Keep these recovery codes: each works once, and nothing shows
          them again.
        </p>
        <ul class="codes">
          {codes.map((code) => (
            <li>
              <code>{code}</code>
            </li>
          ))}
        </ul>
      </>
    );
  }
  if (isOn) {
    return (
      <>
        <p>
          On: sign-ins ask for a code of your authenticator app. {left} recovery codes are left.
        </p>
        <form method="post" action={`${to}/factor/remove`} class="row">
          <input type="hidden" name="csrf" value={csrf} />
          <label for="off">A code, to turn it off</label>
          <input id="off" name="code" autocomplete="one-time-code" required />
          <button type="submit" class="stop">Turn off</button>
        </form>
      </>
    );
  }
  return secret === undefined
    ? <FactorOff to={to} csrf={csrf} />
    : <FactorOffer {...{ secret, to, csrf, name }} />;
}

interface FormProps {
  to: string;
  csrf: string;
}

const FactorOff = ({ to, csrf }: FormProps) => (
  <>
    <p class="soft">
      Off: a password or an AuthToken is enough to sign in here. The REST interface asks for the
      AuthToken alone.
    </p>
    <Act to={`${to}/factor`} csrf={csrf} label="Set up" look="main" />
  </>
);

function FactorOffer({ secret, to, csrf, name }: FormProps & { secret: string; name: string }) {
  const url = otpauthUrl(secret, { issuer: "Switchboard", name });
  return (
    <>
      <p>
        Scan this code with an authenticator app, follow the <a href={url}>link</a>{" "}
        on the phone, or enter the key. Then enter the first code.
      </p>
      <Qr text={url} label="QR code of the key, for an authenticator app" />
      <p>
        <Copied text={secret.match(/.{1,4}/g)?.join(" ") ?? ""} what="the key" look="key" />
      </p>
      <form method="post" action={`${to}/factor/confirm`} class="row">
        <input type="hidden" name="csrf" value={csrf} />
        <label for="first">Code</label>
        <input id="first" name="code" autocomplete="one-time-code" inputmode="numeric" required />
        <button type="submit" class="main">Turn on</button>
      </form>
    </>
  );
}
