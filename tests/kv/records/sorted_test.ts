import assert from "node:assert/strict";
import { setImmediate } from "node:timers";
import { type Condition, matches } from "../../../core/base/filters.ts";
import { usualCapabilities } from "../../../core/model/values/offer.ts";
import type { Query } from "../../../core/model/store.ts";
import { withDefaults } from "../../../core/model/resource.ts";
import {
  type IncomingPhoneNumber,
  incomingPhoneNumbers as definition,
} from "../../../core/model/resources/incoming_phone_numbers.ts";
import { layoutOf } from "../../../kv/records/layout.ts";
import { pageSorted } from "../../../kv/records/sorted.ts";
import { dice, storeFile, type StoreLab, storeLab } from "../../support/service/store_lab.ts";
import { openDenoKv } from "../../../kv/engines/deno_kv.ts";

const roll = dice(4);
const kinds = ["local", "tollFree", "mobile"] as const;

/** Numbers that come in no order, of three kinds and few names. */
async function fillNumbers(lab: StoreLab, count: number): Promise<IncomingPhoneNumber[]> {
  const made: IncomingPhoneNumber[] = [];
  for (let at = 0; at < count; at++) {
    lab.clock.now += roll(1_000);
    const record = {
      sid: lab.sid("PN"),
      accountSid: lab.accountSid,
      dateCreated: lab.clock.now,
      dateUpdated: lab.clock.now,
      ...withDefaults(definition, {
        friendlyName: `name ${roll(4)}`,
        phoneNumber: `+1${(at * 7_919 % 1_000).toString().padStart(3, "0")}5550100`,
        kind: kinds[roll(3)],
        capabilities: usualCapabilities,
      }),
    } as IncomingPhoneNumber;
    made.push(await lab.store.records.incomingPhoneNumbers.insert({ record }));
  }
  return made;
}

const byNumber = (a: IncomingPhoneNumber, b: IncomingPhoneNumber): number =>
  a.phoneNumber < b.phoneNumber ? -1 : 1;

const wheres: Condition[][] = [
  [],
  [{ field: "kind", op: "equals", value: "mobile" }],
  [{ field: "friendlyName", op: "equals", value: "name 2" }],
  [{ field: "phoneNumber", op: "hasPart", value: "9*555" }],
  [{ field: "kind", op: "equals", value: "local" }, {
    field: "phoneNumber",
    op: "hasPart",
    value: "7",
  }],
  [{ field: "friendlyName", op: "equals", value: "nobody" }],
];

async function compare(lab: StoreLab, records: IncomingPhoneNumber[]): Promise<void> {
  const { incomingPhoneNumbers: numbers } = lab.store.records;
  for (const where of wheres) {
    const passed = records.filter((record) => matches({ ...record }, where)).sort(byNumber);
    const page = (query: Omit<Query, "where" | "limit">, from: number) =>
      numbers.list(lab.accountSid, { where, limit: 7, ...query }).then((slice) =>
        assert.deepEqual(slice, { items: passed.slice(from, from + 7), total: passed.length })
      );
    for (const skip of [0, 5, 40, passed.length - 3, passed.length, 1_000]) {
      await page({ skip: Math.max(0, skip) }, Math.max(0, skip));
    }
    for (const at of [0, 30, passed.length - 1]) {
      if (at in passed) await page({ skip: 3, after: passed[at]!.sid }, at + 1);
    }
    const gone = { after: lab.sid("PN"), afterText: "+14" };
    await page(
      { skip: 3, ...gone },
      passed.filter(({ phoneNumber }) => phoneNumber < "+14").length,
    );
    await page({ skip: 3, after: lab.sid("PN") }, 3); // A removed record is no place to start from.
  }
}

Deno.test("list() gives numbers in their order, also changed, removed and after a cursor", async () => {
  using lab = await storeLab();
  const { incomingPhoneNumbers: numbers } = lab.store.records;
  let records = await fillNumbers(lab, 150);
  await compare(lab, records);

  const [named, moved, removed] = [records[20]!, records[70]!, records[90]!];
  const changes: [IncomingPhoneNumber, Partial<IncomingPhoneNumber>][] = [
    [named, { friendlyName: "name 9" }],
    [moved, { phoneNumber: "+99" }],
  ];
  for (const [{ sid }, change] of changes) {
    await numbers.update(lab.accountSid, sid, (record) => ({ record: { ...record, ...change } }));
  }
  await numbers.remove(lab.accountSid, removed.sid);
  records = records.filter((one) => one !== removed).map((one) =>
    one === named || one === moved ? { ...one, ...changes.find(([it]) => it === one)![1] } : one
  );
  await compare(lab, records);
});

Deno.test("list() fills its page also while records of it are removed", async () => {
  using lab = await storeLab();
  const { incomingPhoneNumbers: numbers } = lab.store.records;
  const records = (await fillNumbers(lab, 300)).sort(byNumber);
  const query = { where: [], skip: 0, limit: 11 };
  const pages: number[] = [];
  let isOver = false;
  const reading = async () => {
    while (!isOver) {
      pages.push((await numbers.list(lab.accountSid, query)).items.length);
      await new Promise(setImmediate); // A page from memory does not yield.
    }
  };
  const removing = async () => {
    for (const { sid } of records.slice(0, 280)) await numbers.remove(lab.accountSid, sid);
    isOver = true;
  };

  await Promise.all([reading(), reading(), reading(), removing()]);

  assert.deepEqual(new Set(pages), new Set([11]));
});

Deno.test("pageSorted() looks at no more entries than the page and those before it", async () => {
  await using file = await storeFile();
  const lab = await storeLab(file.location);
  const made = (await fillNumbers(lab, 900)).sort(byNumber);
  lab[Symbol.dispose]();
  using kv = await openDenoKv(file.location);
  let looked = 0;
  const counting = new Proxy(kv, {
    get(_, name) {
      if (name !== "list") return Reflect.get(kv, name).bind(kv);
      return async function* (...sent: Parameters<typeof kv.list>) {
        for await (const entry of kv.list(...sent)) {
          looked++;
          yield entry;
        }
      };
    },
  });
  const source = {
    kv: counting,
    place: { account: 1n, prefix: "PN" },
    sorted: layoutOf(definition).sorted!,
    read: (sid: string) => Promise.resolve(made.find((one) => one.sid === sid) ?? null),
  };
  const cost = async (query: Query): Promise<number> => {
    looked = 0;
    const { sids } = await pageSorted(source, query);
    const first = query.after === undefined ? query.skip : 801;
    assert.deepEqual(sids, made.slice(first, first + 51).map(({ sid }) => sid));
    return looked;
  };

  assert.equal(await cost({ where: [], skip: 0, limit: 51 }), 51);
  assert.equal(await cost({ where: [], skip: 100, limit: 51 }), 151);
  assert.equal(await cost({ where: [], skip: 0, limit: 51, after: made[800]!.sid }), 52);
});
