import assert from "node:assert/strict";
import { hookReads } from "../../support/browsers/read_hook.ts";
import { storeLab } from "../../support/service/store_lab.ts";

Deno.test("a filtered page of phone numbers shows none that changed while it was read", async () => {
  using hook = hookReads();
  using lab = await storeLab();
  const { incomingPhoneNumbers: numbers } = lab.store.records;
  const numberOf = (n: number) => lab.number({ phoneNumber: `${n}`, friendlyName: "sales" });
  const all = [1, 2, 3].map(numberOf);
  await Promise.all(all.map((record) => numbers.insert({ record })));
  const name = (friendlyName: string) =>
    numbers.update(
      lab.accountSid,
      all[0]!.sid,
      (before) => ({ record: { ...before, friendlyName } }),
    );
  const where = [{ field: "friendlyName", op: "equals" as const, value: "sales" }];

  for (let n = 1; n <= 5; n++) {
    await name("sales");
    let read = 0;
    hook.beforeRead = async () => {
      if (++read === n) await name("support");
    };
    const page = await numbers.list(lab.accountSid, { where, skip: 0, limit: 50 });
    hook.beforeRead = async () => {};
    const names = page.items.map(({ friendlyName }) => friendlyName);
    assert.ok(names.every((one) => one === "sales"), `${n}: ${names}`);
    assert.equal(names.length, page.total, `${n}`);
  }
});
