import assert from "node:assert/strict";
import { calls } from "../../core/model/resources/calls.ts";
import { shapeOf } from "../../routes/http/represent.ts";
import { type App, startApp } from "../support/service/app.ts";
import { makeSample } from "../support/service/samples.ts";

const pageSize = 4;

/** A page's records as they are written when they are written for the first time. */
async function freshTexts(app: App, sids: string[]): Promise<{ json: string; xml: string }> {
  const shape = shapeOf(calls);
  const found = await Promise.all(
    sids.map((sid) => app.ports.records.calls.get(app.root.sid, sid)),
  );
  const records = found.map((record) => record!);
  return {
    json: `:[${records.map((record) => JSON.stringify(shape.json(record))).join(",")}]}`,
    xml: `>${
      records.map((record) => shape.forms(record).xml()).join("")
    }</Calls></ServiceResponse>`,
  };
}

/** Every page of some calls in both formats, asked for again and again. */
async function checkPages(app: App, sids: string[]): Promise<void> {
  for (let page = 0; page * pageSize < sids.length; page++) {
    const shown = sids.slice(page * pageSize, (page + 1) * pageSize);
    const { json, xml } = await freshTexts(app, shown);
    const query = `Page=${page}&PageSize=${pageSize}`;
    for (let asked = 0; asked < 3; asked++) {
      const texts = {
        json: (await app.root.get(`Calls.json?${query}`)).text,
        xml: (await app.root.get(`Calls?${query}`)).text,
      };
      assert.equal(texts.json.slice(texts.json.indexOf(":[")), json);
      assert.equal(texts.xml.slice(-xml.length), xml);
      assert.equal(texts.json.match(/"sid":/g)?.length, shown.length);
      assert.equal(texts.xml.match(/<Sid>/g)?.length, shown.length);
    }
  }
}

Deno.test("lists that are requested again have the present records, byte for byte", async () => {
  using app = await startApp();
  const records = app.ports.records.calls;
  const sids: string[] = [];
  const create = async (n: number) => {
    app.clock.now += 20_000;
    sids.unshift(await makeSample(app, app.root, { name: "calls", n }));
  };
  for (let n = 1; n <= 10; n++) await create(n);
  await checkPages(app, sids);

  for (
    const [at, callerName] of ["Zoë & <Söhne>", 'a "quoted"\r\nname 🙂', "\u0007plain"].entries()
  ) {
    const change = (call: Awaited<ReturnType<typeof records.get>> & object) => ({
      record: { ...call, callerName, status: "completed" as const, duration: at },
    });
    await records.update(app.root.sid, sids[3 * at]!, change);
    await checkPages(app, sids);
    await create(11 + at);
    await checkPages(app, sids);
    await records.remove(app.root.sid, sids.splice(2 * at + 1, 1)[0]!);
    await checkPages(app, sids);
  }
});
