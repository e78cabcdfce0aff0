import assert from "node:assert/strict";
import { softphonePageTest } from "../support/browsers/softphone_page_lab.ts";
import type { SoftphonePage } from "../support/browsers/softphone_page.ts";
import { assertAccessible, openAxeContext } from "../support/browsers/axe.ts";
import { widths } from "../support/browsers/judge_pages.ts";
import { eventually } from "../support/process/eventually.ts";

/** Writes a message to an address without a conversation. */
async function writeTo({ page }: SoftphonePage, to: string, body: string): Promise<void> {
  await page.getByRole("button", { name: "New message" }).click();
  await page.getByLabel("To", { exact: true }).fill(to);
  await page.getByLabel("Message", { exact: true }).fill(body);
  await page.getByRole("button", { name: "Send", exact: true }).click();
}

const textOf = ({ page }: SoftphonePage, text: string | RegExp) =>
  page.getByRole("list", { name: "Conversation" }).getByRole("listitem").filter({ hasText: text });

softphonePageTest("two pages text each other, and keep the conversation", async (lab) => {
  const [alice, bob] = [await lab.enter("alice"), await lab.enter("bob")];
  const body = "grüße 😀\n<b>2</b>";

  await writeTo(alice, "bob", body);
  await textOf(alice, /Delivered$/).waitFor();
  await bob.page.getByRole("button", { name: /^alice \(1 new\)/ }).click();
  assert.equal(await textOf(bob, "grüße").locator("p").innerText(), body);
  await bob.page.getByLabel("Message", { exact: true }).fill("and back");
  await bob.page.getByLabel("Message", { exact: true }).press("Enter");
  await textOf(alice, "and back").waitFor();
  await textOf(alice, /grüße.*Read$/s).waitFor(); // Bob has opened the conversation.
  await textOf(bob, /and back.*Read$/).waitFor();

  await bob.page.getByRole("button", { name: "All messages" }).click();
  await bob.page.getByRole("button", { name: /^alice.*and back$/ }).waitFor();
  const [first] = await lab.system.get("SMS/Messages.json?From=client:alice")
    .then(({ messages }) => messages);
  await eventually(
    "the record says sent",
    async () => (await lab.system.get(`SMS/Messages/${first.sid}.json`)).status === "sent",
  );
});

softphonePageTest(
  "a message of the interface is shown once, and outlives a reload",
  async (lab) => {
    const alice = await lab.enter("alice");
    const sent = { From: "+14155550100", To: "client:alice", Body: "Your code is 4711" };
    await lab.system.post("SMS/Messages.json", sent);

    const row = alice.page.getByRole("button", { name: /^\+1 415 555 0100 \(1 new\).*4711$/ });
    await row.waitFor();
    await alice.page.reload();
    await alice.logIn("alice", "secret");
    await alice.registered("alice");
    await row.click();
    assert.equal(await textOf(alice, "4711").count(), 1);
  },
);

softphonePageTest("a message that cannot be sent says why, and is sent again", async (lab) => {
  const alice = await lab.enter("alice");

  await writeTo(alice, "nobody", "hello?");
  await textOf(alice, /Not delivered: there is no nobody here/).waitFor();
  await lab.enter("nobody");
  await alice.page.getByRole("button", { name: "Send again" }).click();
  await textOf(alice, /Delivered$/).waitFor();

  await alice.page.getByLabel("Message", { exact: true }).fill("x".repeat(161));
  await alice.page.getByText("1 too many").waitFor();
  await alice.page.getByRole("button", { name: "Send", exact: true }).click();
  await alice.page.getByText("A message has at most 160 characters; this one has 161").waitFor();
});

softphonePageTest("a phone's refusal of a message reaches the page that sent it", async (lab) => {
  const alice = await lab.enter("alice");
  const desk = await lab.system.phone("desk");
  desk.textStatus = 405;

  await writeTo(alice, "desk", "can you read?");
  await textOf(alice, /Not delivered:.*refused it \(30007\)/).waitFor();
  await eventually("the record says failed", async () => {
    const { messages } = await lab.system.get("SMS/Messages.json?To=client:desk");
    return messages[0]?.status === "failed";
  });
});

softphonePageTest("the softphone has nothing that axe finds, wide and narrow", async (lab) => {
  await lab.enter("bob");
  for (const width of widths) {
    const context = await openAxeContext(lab.browser, width);
    const page = await context.newPage();
    await page.goto(`${lab.system.baseUrl}/softphone`);
    await assertAccessible(page, `log-in at ${width}`);
    await page.getByLabel("Login", { exact: true }).fill("bob");
    await page.getByLabel("Password", { exact: true }).fill("secret");
    await page.getByRole("button", { name: "Log in" }).click();
    await page.getByText("Registered as bob").waitFor();
    await page.getByRole("button", { name: "New message" }).click();
    await page.getByLabel("To", { exact: true }).fill("bob");
    await page.getByLabel("Message", { exact: true }).fill("to myself");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByRole("listitem").filter({ hasText: /(Delivered|Read)$/ }).first().waitFor();
    await page.getByLabel("Login, number or SIP address").fill("nobody-there");
    await page.locator("#dial [type=submit]").click();
    await page.getByRole("button", { name: /^Call nobody-there again/ }).waitFor();
    await page.locator("article.call").waitFor({ state: "detached" });
    await assertAccessible(page, `softphone at ${width}`);
    await context.close();
  }
});
