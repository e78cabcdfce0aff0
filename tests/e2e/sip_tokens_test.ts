import assert from "node:assert/strict";
import { softphonePageTest } from "../support/browsers/softphone_page_lab.ts";

softphonePageTest(
  "the softphone logs in with the credentials of a Token, until the Client's Password changes",
  async (lab) => {
    const bob = await lab.enter("bob");
    const { sid } = await lab.system.post("Clients.json", { Login: "carol", Password: "secret" });
    const token = await lab.system.post("Tokens.json", { Login: "carol", Ttl: "3600" });
    assert.match(token.sip_username, /^carol~\d{10}$/);

    const carol = await lab.open();
    await carol.logIn(token.sip_username, token.sip_password);
    await carol.registered("carol");
    await carol.dial("bob");
    await bob.shows("carol is calling you");
    await bob.press("Answer");
    await Promise.all([bob.hears(), carol.hears()]);
    await bob.press("Hang up");

    await lab.system.post(`Clients/${sid}.json`, { Password: "another" });
    const late = await lab.open();
    await late.logIn(token.sip_username, token.sip_password);
    await late.page.getByText("Wrong login or password").waitFor();
  },
);
