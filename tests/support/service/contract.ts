import assert from "node:assert/strict";
import { resources } from "../../../core/model/resources/mod.ts";
import type { AnyResource } from "../../../core/model/resource.ts";
import { pascal } from "../../../core/base/wire.ts";
import type { App } from "./app.ts";
import { makeSample, type SampledName, sampledNames, samples } from "./samples.ts";

/** Modified by rules of their own, so an update that is declared nowhere answers there. */
const modifiedByRules: SampledName[] = ["calls", "conferences", "deliveries"];

/** A POST to the list makes no record, but does something with those that are there. */
const postedByRules: SampledName[] = ["deliveries"];

/** The tests of what every resource promises, on a service; `of` begins their names. */
export function contractOf(startApp: () => Promise<App>, of = ""): void {
  for (const name of sampledNames) {
    const definition: AnyResource = resources[name];
    const { type, path, sidPrefix, create, update, removable, paged } = definition;
    const sample = samples[name];
    const title = of + path;
    const itemsOf = (list: Record<string, unknown>) =>
      (Array.isArray(list) ? list : Object.values(list).find(Array.isArray)) as Record<
        string,
        unknown
      >[];

    Deno.test(`${title}: a ${type} can be read in both formats and by its own Uri`, async () => {
      using app = await startApp();
      const sid = await makeSample(app, app.root, { name });

      const json = await app.root.get(`${path}/${sid}.json`);
      const xml = await app.root.get(`${path}/${sid}`);

      assert.equal(json.status, 200);
      assert.equal(json.json().sid, sid);
      assert.equal(json.json().account_sid, app.root.sid);
      assert.match(sid, new RegExp(`^${sidPrefix}[0-9a-f]{32}$`));
      assert.match(xml.text, new RegExp(`<ServiceResponse><${type}><Sid>${sid}</Sid>`));
      assert.equal((await app.root.get(json.json().uri)).text, json.text);
      const [, uri] = /<Uri>([^<]+)<\/Uri>/.exec(xml.text)!;
      assert.equal((await app.root.get(uri!)).text, xml.text);
    });

    Deno.test(`${title}: .json is accepted after any segment, and Accept chooses too`, async () => {
      using app = await startApp();
      const sid = await makeSample(app, app.root, { name });
      const { text } = await app.root.get(`${path}/${sid}.json`);

      const base = `/2012-04-24/Accounts`;
      for (
        const address of [
          `${base}.json/${app.root.sid}/${path}/${sid}`,
          `${base}/${app.root.sid}.json/${path}/${sid}`,
          `${base}/${app.root.sid}/${path}.json/${sid}`,
          `${base}/${app.root.sid}/${path}.json/${sid}.json`,
          `${base}/root%40example.com/${path}/${sid}.json`,
        ]
      ) assert.equal((await app.root.get(address)).text, text, address);
      const accept = { Accept: "application/json, text/plain, */*" };
      assert.equal((await app.root.get(`${path}/${sid}`, accept)).text, text);
    });

    Deno.test(`${title}: every advertised sub-list answers`, async () => {
      using app = await startApp();
      const sid = await makeSample(app, app.root, { name });
      const { subresource_uris = {} } = (await app.root.get(`${path}/${sid}.json`)).json();

      assert.equal(Object.keys(subresource_uris).length, definition.subresources?.length ?? 0);
      for (const uri of Object.values(subresource_uris)) {
        assert.equal((await app.root.get(String(uri))).status, 200, String(uri));
      }
    });

    Deno.test(`${title}: a list holds what was made, newest first, and a filter narrows it`, async () => {
      using app = await startApp();
      const sids = [
        await makeSample(app, app.root, { name, n: 1 }),
        await makeSample(app, app.root, { name, n: 2 }),
      ];
      const list = (await app.root.get(`${path}.json`)).json();
      assert.deepEqual(itemsOf(list).map(({ sid }) => sid), sids.toReversed());
      assert.deepEqual(itemsOf(list)[0], (await app.root.get(`${path}/${sids[1]}.json`)).json());

      const query = new URLSearchParams([sample.filter]);
      const filtered = (await app.root.get(`${path}.json?${query}`)).json();
      assert.deepEqual(itemsOf(filtered).map(({ sid }) => sid), [sids[0]]);
      assert.equal(paged === true, !Array.isArray(list));
    });

    Deno.test(`${title}: pages are followed from first to last by the addresses given`, async () => {
      using app = await startApp();
      for (let n = 1; n <= 5; n++) await makeSample(app, app.root, { name, n });

      const all = itemsOf((await app.root.get(`${path}.json`)).json());
      const walked = [];
      let address: string | null = `${path}.json?PageSize=2`;
      while (address !== null) {
        const answer = await app.root.get(address);
        walked.push(...itemsOf(answer.json()));
        const next: string = paged
          ? answer.json().next_page_uri
          : /<([^>]+)>; rel="next"/.exec(answer.headers.get("Link") ?? "")?.[1] ?? "null";
        address = next === "null" ? null : next;
      }
      assert.deepEqual(walked, all);
    });

    Deno.test(`${title}: a record of another account is not found`, async () => {
      using app = await startApp();
      const other = await app.subAccount(app.root, "other");
      const sid = await makeSample(app, other, { name });

      for (const method of ["GET", "POST", "PUT", "DELETE"]) {
        const answer = await app.root.request(method, `${path}/${sid}.json`);
        assert.ok([404, 405].includes(answer.status), `${method} ${answer.status}`);
      }
      assert.equal((await app.root.get(`${path}/${sid}.json`)).json().code, 20404);
      assert.deepEqual(itemsOf((await app.root.get(`${path}.json`)).json()), []);
    });

    Deno.test(`${title}: a Sid that does not exist or is none answers 404`, async () => {
      using app = await startApp();

      for (const sid of [sidPrefix + "0".repeat(32), "nope", sidPrefix, "%00", "%zz", "a%2Fb"]) {
        assert.equal((await app.root.get(`${path}/${sid}.json`)).status, 404, sid);
        if (removable) assert.equal((await app.root.delete(`${path}/${sid}`)).status, 404, sid);
      }
    });

    Deno.test(`${title}: operations it lacks answer 405 with Allow`, async () => {
      using app = await startApp();
      const sid = await makeSample(app, app.root, { name });
      const isUpdated = update !== undefined || modifiedByRules.includes(name);
      const isPosted = create !== undefined || postedByRules.includes(name);

      const list = await app.root.put(path);
      assert.equal(list.status, 405);
      assert.equal(list.headers.get("Allow"), isPosted ? "GET, HEAD, POST" : "GET, HEAD");
      assert.equal((await app.root.delete(`${path}.json`)).json().code, 20004);
      if (!isPosted) assert.equal((await app.root.post(path)).status, 405);
      if (!isUpdated) assert.equal((await app.root.put(`${path}/${sid}`)).status, 405);
      assert.equal((await app.root.delete(`${path}/${sid}`)).status, removable ? 204 : 405);
    });

    if (create !== undefined) {
      Deno.test(`${title}: every required parameter is named when it is missing`, async () => {
        using app = await startApp();

        const nothing = (await app.root.post(`${path}.json`)).json();
        assert.equal(nothing.status, 400);
        for (const field of create.required) {
          assert.match(nothing.message, new RegExp(`\\b${pascal(field)} is required`));
          const form = { ...sample.create!(1) };
          delete form[pascal(field)];
          const { status, message } = (await app.root.post(`${path}.json`, form)).json();
          assert.equal(status, 400);
          assert.match(message, new RegExp(`: ${pascal(field)} is required$`));
        }
      });

      Deno.test(`${title}: a JSON body is read as a form is`, async () => {
        using app = await startApp();

        const answer = await app.root.request("POST", `${path}.json`, {
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify(sample.create!(1)),
        });

        assert.equal(answer.status, 200, answer.text);
        assert.deepEqual(
          (await app.root.get(`${path}/${answer.json().sid}.json`)).json(),
          answer.json(),
        );
      });
    }

    if (update !== undefined) {
      Deno.test(`${title}: POST and PUT change only what is sent, and DateUpdated`, async () => {
        for (const method of ["post", "put"] as const) {
          using app = await startApp();
          const sid = await makeSample(app, app.root, { name });
          const before = (await app.root.get(`${path}/${sid}.json`)).json();
          app.clock.now += 61_000;

          const { form, json } = sample.update!;
          const after = await app.root[method](`${path}/${sid}.json`, form);

          const date_updated = "Wed, 31 Jan 2024 12:01:01 +0000";
          assert.deepEqual(after.json(), { ...before, ...json, date_updated });
          assert.equal((await app.root.get(`${path}/${sid}.json`)).text, after.text);
          assert.equal((await app.root[method](`${path}/${sid}.json`)).text, after.text);
        }
      });
    }

    if (removable) {
      Deno.test(`${title}: what is deleted is gone`, async () => {
        using app = await startApp();
        const sid = await makeSample(app, app.root, { name });

        assert.equal((await app.root.delete(`${path}/${sid}.json`)).status, 204);

        assert.equal((await app.root.get(`${path}/${sid}.json`)).status, 404);
        assert.equal((await app.root.delete(`${path}/${sid}.json`)).status, 404);
        assert.deepEqual(itemsOf((await app.root.get(`${path}.json`)).json()), []);
      });
    }
  }
}
