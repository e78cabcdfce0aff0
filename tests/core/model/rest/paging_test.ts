import assert from "node:assert/strict";
import { type ListQuery, readListQuery } from "../../../../core/model/rest/list_query.ts";
import { linkHeader, pageOf, sliceOf, windowOf } from "../../../../core/model/rest/paging.ts";
import { calls } from "../../../../core/model/resources/calls.ts";

const sidOf = (n: number) => `CA${n.toString(16).padStart(32, "0")}`;
const record = (n: number) => ({ sid: sidOf(n), accountSid: "AC", dateCreated: 0, dateUpdated: 0 });
/** Newest first. */
const records = (count: number) => Array.from({ length: count }, (_, at) => record(count - at));
const query = (text: string): ListQuery => readListQuery(calls, new URLSearchParams(text));
const page = (count: number, text: string) => {
  const asked = query(text);
  return pageOf(sliceOf(records(count), windowOf(asked)), asked, "/Calls");
};

Deno.test("pageOf() counts pages and positions of lists of every small length", () => {
  for (let count = 0; count <= 7; count++) {
    for (let size = 1; size <= 4; size++) {
      const pages = Math.ceil(count / size);
      for (let number = 0; number <= pages; number++) {
        const { items, page: one } = page(count, `Page=${number}&PageSize=${size}`);
        const expected = records(count).slice(number * size, (number + 1) * size);
        const what = `${count} by ${size}, page ${number}`;
        assert.deepEqual(items, expected, what);
        assert.equal(one.numPages, pages, what);
        assert.equal(one.total, count, what);
        assert.equal(one.nextPageUri === null, number >= pages - 1, what);
        assert.equal(one.previousPageUri === null, number === 0, what);
        if (items.length > 0) {
          assert.equal(one.start, String(number * size), what);
          assert.equal(one.end, String(number * size + items.length - 1), what);
        } else assert.deepEqual([one.start, one.end], ["0", "0"], what);
      }
    }
  }
});

Deno.test("pageOf() keeps filters as they were sent in every address", () => {
  const { page: one } = page(9, "To=%2B1*&StartTime%3E=2024-01-31&PageSize=2&Page=0");

  assert.equal(one.total, 0);
  const kept = "To=%2B1*&StartTime%3E=2024-01-31";
  assert.equal(one.uri, `/Calls?${kept}&Page=0&PageSize=2`);
  const again = query(one.uri.split("?")[1]!);
  assert.deepEqual(again.where, query(`To=%2B1*&StartTime%3E=2024-01-31`).where);
});

Deno.test("pageOf() starts right after the cursor", () => {
  const { items, page: one } = page(9, `Page=1&PageSize=2&AfterSid=${sidOf(5)}`);

  assert.deepEqual(items.map(({ sid }) => sid), [sidOf(4), sidOf(3)]);
  assert.equal(one.nextPageUri, `/Calls?Page=2&PageSize=2&AfterSid=${sidOf(3)}`);
});

Deno.test("linkHeader() names the pages there are, below the base URL's path", () => {
  const { page: one } = page(3, "Page=1&PageSize=1");

  assert.equal(
    linkHeader(one, "/api"),
    `</api/Calls?Page=0&PageSize=1>; rel="first", </api/Calls?Page=0&PageSize=1>; rel="prev", ` +
      `</api/Calls?Page=2&PageSize=1&AfterSid=${sidOf(2)}>; rel="next", ` +
      `</api/Calls?Page=2&PageSize=1>; rel="last"`,
  );
});

Deno.test("readListQuery() makes conditions of filters", () => {
  const day = { from: Date.UTC(2024, 0, 31), before: Date.UTC(2024, 1, 1) };
  const cases: [text: string, where: ListQuery["where"]][] = [
    ["", []],
    ["Status=busy", [{ field: "status", op: "equals", value: "busy" }]],
    ["To=*", [{ field: "to", op: "matches", value: "*" }]],
    ["To=%2B1", [{ field: "to", op: "equals", value: "+1" }]],
    ["StartTime=2024-01-31", [{ field: "startTime", op: "between", ...day }]],
    ["EndTime=2024-01-31", [{ field: "endTime", op: "between", ...day }]],
    ["StartTime=2024-01-31&EndTime=2024-01-31", [{ field: "startTime", op: "between", ...day }]],
    ["EndTime>=2024-01-31&StartTime=2024-01-31", [
      { field: "endTime", op: "between", from: day.from, before: Infinity },
      { field: "startTime", op: "between", ...day },
    ]],
  ];
  for (const [text, where] of cases) assert.deepEqual(query(text).where, where, text);
});
