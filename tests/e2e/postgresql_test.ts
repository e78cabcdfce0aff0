import assert from "node:assert/strict";
import { eventually } from "../support/process/eventually.ts";
import { placeCall, toldOf, wholeCall } from "../support/process/placed_call.ts";
import { startSystem } from "../support/process/system.ts";
import { testAuthority, testCertificates } from "../support/process/test_certificates.ts";
import { startAppServer } from "../support/service/app_server.ts";
import { isPostgresWanted, startPostgres } from "../support/service/postgres.ts";

Deno.test({
  name: "calls and texts go on while PostgreSQL crashes, and each is reported once",
  ignore: !isPostgresWanted(),
  async fn() {
    await using app = startAppServer();
    app.pages.set("/voice", "<Response><Pause length='600'/></Response>");
    const folder = await Deno.makeTempDir();
    const authority = `${folder}/authority.pem`;
    await Deno.writeTextFile(authority, testAuthority);
    await using server = await startPostgres({ tls: testCertificates.first });
    const STORE_URL = `${await server.database()}?sslmode=verify-full&sslrootcert=${authority}`;
    {
      await using system = await startSystem({ env: { STORE_URL } });
      const phone = await system.phone("anna");
      const { sid, dialog } = await placeCall(system, { app, phone, login: "anna" });
      const text = { From: "+15550001", To: "client:anna", Body: "before the crash" };
      const first = await system.post("SMS/Messages.json", text);
      assert.match(String((await phone.nextText()).body), /before the crash/);

      await server.crash();
      const later = { ...text, Body: "after the crash" };
      const second = await eventually(
        "the service writes again",
        () => system.post("SMS/Messages.json", later).catch(() => undefined),
      );
      assert.match(String((await phone.nextText()).body), /after the crash/);
      await dialog.bye();
      await eventually("the call is told whole", () => toldOf(app, sid).length >= wholeCall.length);
      assert.deepEqual(toldOf(app, sid), wholeCall);
      assert.equal((await system.get(`Calls/${sid}.json`)).status, "completed");
      for (const { sid } of [first, second]) {
        await eventually(
          "the text is sent",
          async () => /sent|delivered/.test((await system.get(`SMS/Messages/${sid}.json`)).status),
        );
      }
      assert.doesNotMatch(system.output(), /of-the-tests-alone/);
      assert.equal(await system.stop(), 0);
    }
    await Deno.remove(folder, { recursive: true });
  },
});
