import { Hono } from "hono";
import { Fault } from "../../../core/base/faults.ts";
import { outgoingCallerIds } from "../../../core/model/resources/outgoing_caller_ids.ts";
import type { Ports } from "../../../core/model/ports/ports.ts";
import { type CallStatus, isLive } from "../../../core/model/values/status.ts";
import { change } from "../frame/change.ts";
import type { ConsoleEnv, Page } from "../frame/env.ts";
import { filled } from "../frame/form.tsx";
import { goTo } from "../frame/links.ts";
import { problemOf } from "../frame/problem_of.ts";
import { Facts, Heading, Problem, Sid, Status } from "../frame/parts.tsx";
import { belowOf, showPage } from "../frame/render.tsx";
import { readForm } from "../frame/session.ts";

const { path } = outgoingCallerIds;

/** A caller ID that is validated by a call: the form, and the page that has the code and the result. */
export function validateNumberPages(ports: Ports): Hono<ConsoleEnv> {
  return new Hono<ConsoleEnv>()
    .get("/validate", (c) => showForm(c, {}, ports))
    .post("/validate", async (c) => {
      const form = filled(await readForm(c, ports));
      try {
        const made = await change(c, { path: `${path}/ValidationRequests`, form }, ports);
        return goTo(c, `${belowOf(c, ports)}/${path}/validations/${made?.call_sid}`);
      } catch (error) {
        const values = Object.fromEntries(form);
        return await showForm(c, { problem: problemOf(c, error), values }, ports);
      }
    })
    .get("/validations/:sid{CA[0-9a-f]{32}}", (c) => showValidation(c, ports));
}

interface Tried {
  problem?: string;
  values?: Record<string, string>;
}

function showForm(c: Page, { problem, values = {} }: Tried, ports: Ports): Response {
  const to = `${belowOf(c, ports)}/${path}`;
  const content = (
    <>
      <Heading title="Validate a number" kind="Caller IDs" up={to} />
      {problem && <Problem>{problem}</Problem>}
      <form method="post" action={`${to}/validate`} class="card stack">
        <input type="hidden" name="csrf" value={c.var.csrf} />
        <p>
          The number is called and asks for a code. The next page has the code: type it on that
          phone, and the account may show the number as caller ID. The call is charged as any.
        </p>
        <div class="input">
          <label for="validate-number">
            Phone number <span class="soft">(required)</span>
          </label>
          <input
            id="validate-number"
            name="PhoneNumber"
            value={values.PhoneNumber ?? ""}
            inputmode="tel"
            placeholder="+1…"
            required
            autocomplete="off"
          />
        </div>
        <div class="input">
          <label for="validate-name">Name</label>
          <input
            id="validate-name"
            name="FriendlyName"
            value={values.FriendlyName ?? ""}
            maxlength={64}
            autocomplete="off"
          />
        </div>
        <div class="input">
          <label for="validate-extension">Extension</label>
          <input
            id="validate-extension"
            name="Extension"
            value={values.Extension ?? ""}
            inputmode="tel"
            autocomplete="off"
            aria-describedby="validate-extension-hint"
          />
          <p class="hint" id="validate-extension-hint">
            Keys that are sent once the call is answered.
          </p>
        </div>
        <div class="actions">
          <button type="submit" class="main">Call this number</button>
          <a href={to}>Cancel</a>
        </div>
      </form>
    </>
  );
  return showPage(c, { title: "Validate a number", section: path, content }, ports);
}

/** The code of a validation, and the outcome of its call. The interface says whose call it is. */
async function showValidation(c: Page, ports: Ports): Promise<Response> {
  const sid = c.req.param("sid") ?? "";
  const call = await c.var.api.read(`Calls/${sid}`);
  const record = await ports.records.calls.get(String(c.var.account.sid), sid);
  const validation = record?.validation ?? null;
  if (validation === null) throw new Fault("notFound", `${sid} validates no number`);
  const below = belowOf(c, ports);
  const isRunning = isLive(call.status as CallStatus);
  const { code, phoneNumber, callerIdSid } = validation;
  const content = (
    <>
      <Heading title={`Validate ${phoneNumber}`} kind="Caller IDs" up={`${below}/${path}`} />
      <div id="validation" data-live={isRunning && callerIdSid === null ? "2" : undefined}>
        <section class="card stack" aria-live="polite">
          {callerIdSid !== null
            ? (
              <p>
                <Status value="completed" /> {phoneNumber} is validated, and may be shown as{" "}
                <Sid sid={callerIdSid} below={below} label="caller ID" />.
              </p>
            )
            : isRunning
            ? (
              <p>
                <Status value={call.status} /> {phoneNumber}{" "}
                is being called. Answer there, and type this code:
              </p>
            )
            : (
              <p>
                <Status value="failed" /> {phoneNumber}{" "}
                is not validated: the call ended ({String(call.status).replaceAll("-", " ")}) before
                the right code was typed. <a href={`${below}/${path}/validate`}>Try again</a>
              </p>
            )}
          {callerIdSid === null && isRunning && <p class="figure">{code}</p>}
          <Facts facts={[["Call", <Sid sid={sid} below={below} label="Timeline" />]]} />
        </section>
      </div>
    </>
  );
  return showPage(c, { title: `Validate ${phoneNumber}`, section: path, content }, ports);
}
