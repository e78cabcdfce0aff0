import assert from "node:assert/strict";
import process from "node:process";
import { limits } from "../../core/base/limits.ts";
import { formPairs, readBody } from "../../routes/http/body.ts";

const most = limits.bodyBytes;

/** A request with as much of a text as a body may have. */
const request = (type: string, body: string) =>
  new Request("http://api.test/", {
    method: "POST",
    headers: { "Content-Type": type, "Content-Length": String(body.length) },
    body,
  });

const repeated = (text: string, length = most) => text.repeat(Math.floor(length / text.length));

const form = "application/x-www-form-urlencoded";
const json = "application/json";
const usual = `FriendlyName=${"x".repeat(16_000)}`;

const dear: Record<string, [type: string, body: string]> = {
  "a form of many parameters": [form, repeated("a=%41&")],
  "a form of many names": [form, Array.from({ length: 90_000 }, (_, n) => `k${n}=1`).join("&")],
  "a form of one long parameter": [form, `a=${repeated("%41", most - 8)}`],
  "a form of what cannot be decoded": [form, `a=${repeated("%4%f", most - 8)}`],
  "JSON of many members": [
    json,
    `{${Array.from({ length: 90_000 }, (_, n) => `"k${n}":1`).join(",")}}`,
  ],
  "JSON of a long array": [json, `{"a":[${repeated("1,", most - 16)}1]}`],
  "JSON of deep arrays": [
    json,
    `{"a":${repeated("[", most / 2 - 8)}${repeated("]", most / 2 - 8)}}`,
  ],
  "JSON of many objects": [json, `{"a":[${repeated("{},", most - 16)}1]}`],
  "JSON of a long text": [json, `{"a":"${repeated("\\u0041", most - 16)}"}`],
  "JSON of many quotes": [json, `{"a":"${repeated('\\"', most - 16)}"}`],
};

/** The CPU time in ms that reading a body 5 times takes. */
async function cpuMs([type, body]: [type: string, body: string]): Promise<number> {
  const requests = Array.from({ length: 5 }, () => request(type, body));
  const before = process.cpuUsage();
  for (const one of requests) await readBody(one, () => true).catch(() => {});
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

for (const [name, body] of Object.entries(dear)) {
  Deno.test(`${name} costs little more than a body of as many bytes`, async () => {
    await cpuMs([form, usual]);
    // The machine may be busy with others: the least of three counts.
    const measured = [await cpuMs(body), await cpuMs(body), await cpuMs(body)];
    // Five bodies of 1 MiB: before, one took up to 1,200 ms.
    assert.ok(Math.min(...measured) < 5 * 60, `${measured} ms for 5`);
  });
}

Deno.test("a body within the bounds is read, and one beyond them named", async () => {
  const members = Array.from({ length: 998 }, (_, n) => `"k${n}":1`).join();
  const few = await readBody(request(json, `{"a":[1,"x,[{"],${members}}`), (name) => name === "a");
  assert.deepEqual(few.get("a"), ["1", "x,[{"]);
  const many = request(json, `{"ignored":[${repeated("1,", 2 * 4 * limits.parameters)}1]}`);
  await assert.rejects(readBody(many, () => false), /at most 4000 JSON values/);
  assert.equal([...formPairs(Array(limits.parameters).fill("a=1").join("&"))].length, 1_000);
  assert.throws(() => formPairs("a&".repeat(limits.parameters + 1)), /at most 1000 parameters/);
});
