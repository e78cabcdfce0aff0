import { chromium } from "playwright-core";
const base = "http://127.0.0.1:18480";
const cred = JSON.parse(await Deno.readTextFile("/tmp/phone-scratch/data/credentials.json"));
const flags = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
  "--use-fake-device-for-media-stream",
  "--use-fake-ui-for-media-stream",
  "--autoplay-policy=no-user-gesture-required",
  "--allow-loopback-in-peer-connection",
  "--disable-features=WebRtcHideLocalIpsWithMdns",
];
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: flags });
const out = "/tmp/phone-scratch/shots";
await Deno.mkdir(out, { recursive: true });
async function shot(page: any, name: string, h = 900) {
  for (const scheme of ["light", "dark"] as const) {
    for (const w of [390, 1280]) {
      await page.emulateMedia({ colorScheme: scheme });
      await page.setViewportSize({ width: w, height: h });
      await page.waitForTimeout(200);
      await page.screenshot({ path: `${out}/${name}-${scheme}-${w}.png`, fullPage: w === 390 });
    }
  }
}
const page = await browser.newPage();
page.on("console", (m) => console.log("console", m.type(), m.text()));
page.on("pageerror", (e) => console.log("pageerror", e.message));
await page.goto(base + "/softphone");
await shot(page, "1login");
await page.getByLabel("Login", { exact: true }).fill("demo");
await page.getByLabel("Password", { exact: true }).fill("wrong");
await page.getByRole("button", { name: "Log in" }).click();
await page.getByText("Wrong login or password").waitFor({ timeout: 10000 }).catch((e) =>
  console.log(String(e).slice(0, 200))
);
console.log(
  await page.locator("#state").innerText(),
  "|",
  await page.locator("#log-in-problem").innerText(),
);
await page.getByLabel("Password", { exact: true }).fill(cred.demo_password);
await page.getByRole("button", { name: "Log in" }).click();
await page.getByText("Registered as demo").waitFor({ timeout: 10000 }).catch((e) =>
  console.log(String(e).slice(0, 200))
);
await shot(page, "2idle", 950);
await page.getByRole("button", { name: /Call Echo/ }).click();
await page.locator(".call .doing", { hasText: "Talking" }).waitFor({ timeout: 15000 }).catch(
  async (e) => console.log(String(e).slice(0, 300), await page.locator("#calls").innerText()),
);
for (let i = 0; i < 40; i++) {
  await page.waitForTimeout(200);
  if (
    Number(
      await page.locator("[data-side=remote] [role=meter]").evaluate((e) =>
        (e as any).style.getPropertyValue("--level")
      ),
    ) > 0.4
  ) break;
}
await shot(page, "3call", 950);
await page.getByRole("button", { name: "Keypad" }).click();
await page.keyboard.press("5");
await page.keyboard.press("7");
await shot(page, "4keypad", 950);
await page.getByRole("button", { name: "Keypad" }).click();
await page.getByRole("button", { name: "Transfer" }).click();
await page.getByRole("button", { name: "Hold" }).click();
await page.locator(".call .doing", { hasText: "On hold" }).waitFor({ timeout: 15000 }).catch(
  async (e) => console.log(String(e).slice(0, 300), await page.locator("#calls").innerText()),
);
await shot(page, "5transfer", 950);
await page.getByRole("button", { name: "Hang up" }).click();
await page.waitForTimeout(5000);
await shot(page, "6after", 950);
console.log(await page.title());
await browser.close();
