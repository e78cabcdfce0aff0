import { type Browser, chromium, type Page } from "playwright-core";
import { CHROMIUM, chromiumFlags } from "./support/browsers/chromium.ts";
import { schemes } from "./support/browsers/axe.ts";
import { widths } from "./support/browsers/judge_pages.ts";
import type { App } from "./support/service/app.ts";
import { type BusyAccount, fillAccount } from "./support/account/busy_account.ts";
import { startConsole } from "./support/service/console_client.ts";

/**
 * `deno task pictures FOLDER [PATTERN]`: photographs every page of the console for review, with its
 * forms, errors and empty lists, wide and narrow, dark and light. PATTERN is a regular expression
 * that chooses pictures by their names.
 */

const say = (line: string) => Deno.stderr.writeSync(new TextEncoder().encode(`${line}\n`));

/** A picture: its name, where it is, and what is done before it is taken. */
interface Shot {
  name: string;
  /** Below the account; from the service's root where it begins with /console. */
  path: string;
  act?(page: Page): Promise<void>;
}

const send = (name: string | RegExp) => async (page: Page) => {
  await page.locator("main").getByRole("button", { name }).first().click();
  await page.waitForLoadState();
};

const unfold = async (page: Page) => {
  for (const one of await page.locator("main details:not([open]) > summary").all()) {
    if (await one.isVisible()) await one.click();
  }
};

const lists = [
  "Calls",
  "SMS/Messages",
  "Email/Messages",
  "Geolocation",
  "Conferences",
  "Recordings",
  "Transcriptions",
  "Notifications",
  "Webhooks/Deliveries",
  "Webhooks/Documents",
  "IncomingPhoneNumbers",
  "Clients",
  "Applications",
  "Flows",
  "Webhooks/Tests",
  "Management/Gateways",
  "OutgoingCallerIds",
  "Usage/Records",
  "Accounts",
  "Keys",
  "AuditEntries",
  "Supervisor",
  "Supervisor/jobs",
  "Supervisor/configuration",
  "live",
  "tail",
];

const forms = [
  "Calls",
  "SMS/Messages",
  "IncomingPhoneNumbers",
  "Clients",
  "Applications",
  "Management/Gateways",
  "OutgoingCallerIds",
  "Keys",
];

const slug = (path: string) => path.replaceAll("/", "-").toLowerCase();

function shotsOf(app: App, of: BusyAccount): Shot[] {
  const { sids } = of;
  return [
    { name: "overview", path: "" },
    { name: "overview-day", path: "?span=day" },
    { name: "overview-week", path: "?span=week", act: unfold },
    { name: "menu", path: "", act: (page) => page.locator(".menu > summary").click() },
    {
      name: "menu-narrow",
      path: "",
      async act(page) {
        const menu = page.locator(".narrow > summary");
        if (await menu.isVisible()) await menu.click();
      },
    },
    {
      name: "focus",
      path: "/Calls",
      async act(page) {
        for (let at = 0; at < 3; at++) await page.keyboard.press("Tab");
      },
    },
    ...lists.map((path) => ({ name: `list-${slug(path)}`, path: `/${path}` })),
    { name: "list-filtered", path: "/Calls?Status=failed" },
    { name: "list-filter-empty", path: "/Calls?From=nobody" },
    { name: "list-notifications-each", path: "/Notifications?PageSize=25" },
    ...Object.entries(sids).filter(([path]) => path !== "Flow" && path !== "Email/Messages").map((
      [path, sid],
    ) => ({ name: `record-${slug(path)}`, path: `/${path}/${sid}` })),
    { name: "call-live", path: `/Calls/${of.live}` },
    { name: "call-whole", path: `/Calls/${of.whole}` },
    { name: "call-whole-open", path: `/Calls/${of.whole}`, act: unfold },
    { name: "call-refused", path: `/Calls/${of.refused}` },
    { name: "call-broken", path: `/Calls/${of.broken}` },
    { name: "error-code", path: "/errors/11200" },
    { name: "replay-failed", path: "/Webhooks/Deliveries/replay-failed?ago=1" },
    { name: "search", path: "/search?q=%2B12125550177" },
    { name: "search-none", path: "/search?q=%2B19999999" },
    { name: "designer", path: `/Flows/${sids.Flow}` },
    { name: "designer-versions", path: `/Flows/${sids.Flow}/versions` },
    { name: "buy", path: "/IncomingPhoneNumbers/buy" },
    {
      name: "buy-confirm",
      path: "/IncomingPhoneNumbers/buy/confirm?PhoneNumber=%2B12125550155&Kind=Local",
    },
    {
      name: "buy-refused",
      path: "/IncomingPhoneNumbers/buy/confirm?PhoneNumber=%2B12125550100&Kind=Local",
      act: send(/Buy for/),
    },
    ...forms.map((path) => ({ name: `new-${slug(path)}`, path: `/${path}/new` })),
    {
      name: "new-client-refused",
      path: "/Clients/new",
      async act(page) {
        await page.getByLabel(/^Login/).fill("bilal");
        await page.getByLabel(/^Password/).fill("a long secret");
        await send("Create")(page);
      },
    },
    {
      name: "new-client-more",
      path: "/Clients/new",
      act: unfold,
    },
    {
      name: "key-made",
      path: "/Keys/new",
      async act(page) {
        await page.getByLabel(/name/i).first().fill("Laptop of Ana");
        await send("Create")(page);
      },
    },
    { name: "validate", path: "/OutgoingCallerIds/validate" },
    {
      name: "validate-refused",
      path: "/OutgoingCallerIds/validate",
      async act(page) {
        await page.getByLabel("Phone number").fill("nonsense");
        await send("Call this number")(page);
      },
    },
    {
      name: "validate-called",
      path: "/OutgoingCallerIds/validate",
      async act(page) {
        await page.getByLabel("Phone number").fill("+14155550123");
        await send("Call this number")(page);
      },
    },
    { name: "account", path: `/Accounts/${app.root.sid}` },
    { name: "account-below", path: `/Accounts/${of.team.sid}` },
    { name: "sub-account", path: `/console/${of.team.sid}` },
    ...[
      "Calls",
      "live",
      "Notifications",
      "Clients",
      "Webhooks/Deliveries",
      "Usage/Records",
      "Flows",
      "Keys",
      "IncomingPhoneNumbers",
      "Recordings",
    ].map((path) => ({
      name: `empty-${slug(path)}`,
      path: `/console/${of.team.sid}/${path}`,
    })),
    {
      name: "try-markup",
      path: `/Webhooks/Tests?Url=${encodeURIComponent("https://voice.example.com/ivr")}`,
      act: send("Send the request"),
    },
    { name: "not-found", path: "/Calls/CA019f2b7c0d1e4c5f8a9b0c1d2e3f4a5b" },
    { name: "security", path: "/console/security" },
    { name: "security-factor", path: "/console/security", act: send("Set up") },
    {
      name: "security-wrong-code",
      path: "/console/security",
      async act(page) {
        await send("Set up")(page);
        await page.getByLabel("Code", { exact: true }).fill("000000");
        await send("Turn on")(page);
      },
    },
  ];
}

async function signIn(page: Page, at: string): Promise<void> {
  await page.goto(`${at}/console`);
  await page.getByLabel("E-mail address or Account Sid").fill("root@example.com");
  await page.getByLabel("Password or AuthToken").fill("root password");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Overview" }).waitFor();
}

/** The windows that pages are photographed in: widths in px, and schemes of colours. */
const variants = widths.flatMap((width) => schemes.map((colorScheme) => ({ width, colorScheme })));

/** Takes the pictures of one variant. */
async function photograph(browser: Browser, { at, shots, folder, below, variant }: {
  at: string;
  shots: readonly Shot[];
  folder: string;
  below: string;
  variant: typeof variants[number];
}): Promise<void> {
  const { width, colorScheme } = variant;
  const context = await browser.newContext({
    viewport: { width, height: 800 },
    colorScheme,
    locale: "en-GB",
    timezoneId: "Europe/Berlin",
  });
  const page = await context.newPage();
  const take = async (name: string) => {
    const path = `${folder}/${name}.${width}.${colorScheme}.png`;
    await page.screenshot({ path, fullPage: true, animations: "disabled" });
    if (await page.evaluate("document.documentElement.scrollWidth > innerWidth")) {
      say(`${name} is wider than ${width} px`);
    }
  };
  await page.goto(`${at}/console/sign-in`);
  await take("sign-in");
  await page.getByLabel("E-mail address or Account Sid").fill("root@example.com");
  await page.getByLabel("Password or AuthToken").fill("wrong");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("alert").waitFor();
  await take("sign-in-wrong");
  await signIn(page, at);
  for (const { name, path, act } of shots) {
    try {
      await page.goto(path.startsWith("/console") ? at + path : `${at}${below}${path}`);
      await act?.(page);
      await take(name);
    } catch (error) {
      say(`${name} at ${width}: ${error}`);
    }
  }
  await context.close();
}

const dead = {
  id: "1a2b",
  kind: "webhook.deliver",
  lane: "voice.example.com",
  attempts: 6,
  madeAt: Date.now() - 7_200_000,
  error: "Error: Cannot deliver webhook: no complete response within 15 s",
};
const jobs = {
  overview: () =>
    Promise.resolve({
      kinds: [
        { kind: "call.dial", waiting: 0, due: 2, leased: 1, dead: 0, oldestDue: Date.now() - 900 },
        {
          kind: "webhook.deliver",
          waiting: 1_204,
          due: 11,
          leased: 8,
          dead: 1,
          oldestDue: Date.now() - 4_000,
        },
      ],
      dead: [dead],
      isWhole: true,
    }),
  dead: () => Promise.resolve(null),
  retry: () => Promise.resolve(true),
  discard: () => Promise.resolve(true),
  dueAt: () => Promise.resolve(null),
  hurry: () => Promise.resolve(false),
};

const [folder, pattern = ""] = Deno.args;
if (folder === undefined) throw new Error("Usage: deno task pictures FOLDER [PATTERN]");
await Deno.mkdir(folder, { recursive: true });
using app = await startConsole({ ports: { jobs }, madeUpWebhooks: true });
app.clock.now = Date.now();
const of = await fillAccount(app);
const server = Deno.serve(
  { hostname: "127.0.0.1", port: 0, onListen() {} },
  (request) => app.http.fetch(request, { client: "192.0.2.1" }),
);
const at = `http://127.0.0.1:${server.addr.port}`;
const browser = await chromium.launch({ executablePath: CHROMIUM, args: [...chromiumFlags] });
const shots = shotsOf(app, of).filter(({ name }) => new RegExp(pattern).test(name));
const below = `/console/${app.root.sid}`;
await Promise.all(
  variants.map((variant) => photograph(browser, { at, shots, folder, below, variant })),
);
await browser.close();
await server.shutdown();
