import { Hono } from "hono";
import { incomingPhoneNumbers } from "../../../core/model/resources/incoming_phone_numbers.ts";
import type { Ports } from "../../../core/model/ports/ports.ts";
import { money } from "../../../core/usage/summarize.ts";
import type { Row } from "../frame/api.ts";
import { change } from "../frame/change.ts";
import type { ConsoleEnv, Page } from "../frame/env.ts";
import { filled } from "../frame/form.tsx";
import { problemOf } from "../frame/problem_of.ts";
import { Facts, Heading, priced, Problem } from "../frame/parts.tsx";
import { belowOf, showPage } from "../frame/render.tsx";
import { readForm } from "../frame/session.ts";
import { showSearch } from "./number_search.tsx";
import { Choice } from "../frame/choice.tsx";
import { applicationOptions } from "./applications.ts";
import { createSpokenText, removeSpokenText } from "./spoken_text.ts";
import { goTo } from "../frame/links.ts";

const { path } = incomingPhoneNumbers;
const section = path;

/** Search of available numbers, and the purchase of one: choose, see the price, buy. */
export function buyNumberPages(ports: Ports): Hono<ConsoleEnv> {
  return new Hono<ConsoleEnv>()
    .get("/buy", (c) => showSearch(c, ports))
    .get("/buy/confirm", (c) => showConfirm(c, {}, ports))
    .post("/buy", async (c) => {
      const form = await readForm(c, ports);
      try {
        const made = await buy(c, form, ports);
        return goTo(c, `${belowOf(c, ports)}/${path}/${made?.sid}?done=bought`);
      } catch (error) {
        const values = Object.fromEntries(form);
        return await showConfirm(c, { problem: problemOf(c, error), values }, ports);
      }
    });
}

/** Buys a number. A text that callers shall hear becomes an application of the number first. */
async function buy(c: Page, sent: URLSearchParams, ports: Ports): Promise<Row | null> {
  const form = filled(sent);
  const text = form.get("SpokenText");
  form.delete("SpokenText");
  if (text === null || form.has("VoiceApplicationSid") || form.has("VoiceUrl")) {
    return await change(c, { path, form }, ports);
  }
  const name = `Text of ${form.get("FriendlyName") ?? form.get("PhoneNumber")}`;
  const application = await createSpokenText(c, { name, text }, ports);
  form.set("VoiceApplicationSid", application?.sid ?? "");
  try {
    return await change(c, { path, form }, ports);
  } catch (error) {
    if (application !== null) await removeSpokenText(c, application, ports);
    throw error;
  }
}

interface Tried {
  problem?: string;
  values?: Record<string, string>;
}

/** The last page before the purchase: the price, and the handlers of the number. */
async function showConfirm(c: Page, { problem, values = {} }: Tried, ports: Ports) {
  const to = `${belowOf(c, ports)}/${path}/buy`;
  const number = values.PhoneNumber ?? c.req.query("PhoneNumber") ?? "";
  const applications = await applicationOptions(c.var.api, { kind: "voice" });
  const price = priceText(ports.settings);
  const content = (
    <>
      <Heading title={number} kind="Buy a number" up={to} />
      {problem && <Problem>{problem}</Problem>}
      <form method="post" action={to} class="card stack">
        <input type="hidden" name="csrf" value={c.var.csrf} />
        <input type="hidden" name="PhoneNumber" value={number} />
        <Facts
          facts={[
            ["Price a month", price],
            ["First month", `charged at once, to ${c.var.account.friendly_name}`],
          ]}
        />
        <h2>What it does</h2>
        <p class="hint">
          An application, a URL, or a text that callers hear. All of it can be changed later.
        </p>
        {applications.length > 1 && (
          <div class="input">
            <label for="application">Application that handles calls</label>
            <Choice
              id="application"
              name="VoiceApplicationSid"
              value={values.VoiceApplicationSid ?? ""}
              options={applications}
            />
          </div>
        )}
        <SpokenText text={values.SpokenText ?? ""} />
        {texts.map(({ name, label }) => (
          <div class="input">
            <label for={name}>{label}</label>
            <input
              id={name}
              name={name}
              value={values[name] ?? ""}
              inputmode={name.endsWith("Url") ? "url" : "text"}
              autocomplete="off"
              spellcheck={false}
            />
          </div>
        ))}
        <div class="actions">
          <button type="submit" class="main">
            {price === free ? `Take ${number}` : `Buy for ${price} a month`}
          </button>
          <a href={to}>Other numbers</a>
        </div>
      </form>
    </>
  );
  return showPage(c, { title: `Buy ${number}`, section, content }, ports);
}

const SpokenText = ({ text }: { text: string }) => (
  <div class="input">
    <label for="SpokenText">Text that callers hear</label>
    <textarea id="SpokenText" name="SpokenText" rows={2} aria-describedby="spoken-hint">
      {text}
    </textarea>
    <p class="hint" id="spoken-hint">
      It becomes the flow of an application, which the designer can extend. An application or a URL
      comes first.
    </p>
  </div>
);

const texts = [
  { name: "VoiceUrl", label: "URL of the markup that handles calls" },
  { name: "SmsUrl", label: "URL of the markup that handles text messages" },
  { name: "FriendlyName", label: "Name of the number" },
];

const free = "nothing";

/** Price of a number a month. */
const priceText = (settings: Pick<Ports["settings"], "numberPriceMicros" | "currency">): string =>
  settings.numberPriceMicros === 0 ? free : priced(money(settings.numberPriceMicros), settings);
