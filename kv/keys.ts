/**
 * Every key shape of the store, and nowhere else. `A` is an account's number: two to four bytes in
 * a key instead of a Sid's 36. `ord` is a Sid without its prefix, so that keys sort by age.
 *
 *   ["v"]                              schema version
 *   ["n"]                              the last account number given out
 *   ["a", accountSid]                  account, with its number A
 *   ["ac", parentSid, accountSid]      sub-account, empty; the root's parent is ""
 *   ["u", prefix, field, value]        the record that holds a unique value: [accountSid, sid]
 *   ["g", prefix, group, value, sid]   member of a service-wide group: accountSid
 *   ["b", companionId]                 companion, as last heard of
 *   [A, prefix, ord]                   record
 *   [A, "$", day, category, what]      sum of charges of a UTC day (U64): count, usage or price
 *   ["i", "n", phoneNumber]            number in stock: its offer
 *   ["i", "k", country, kind, number]  number in stock, by country and kind, empty
 *   ["q", "d", lane, due, id]          job; the lease of a running one is its due time
 *   ["q", "a", lane]                   earliest due time of the lane (U64, moved by `min`)
 *   ["q", "w"]                         wake counter (U64), watched by every worker
 *   ["q", "x", lane, id]               dead letter
 */
export const keys = {
  version: ["v"],
  accountNumber: ["n"],
  account: (sid: string) => ["a", sid],
  children: (parentSid: string) => ["ac", parentSid],
  child: (parentSid: string, sid: string) => ["ac", parentSid, sid],
  unique: (prefix: string, field: string, value: string) => ["u", prefix, field, value],
  group: (prefix: string, group: string, value: string) => ["g", prefix, group, value],
  member: (
    { prefix, group, value, sid }: { prefix: string; group: string; value: string; sid: string },
  ) => ["g", prefix, group, value, sid],
  companions: ["b"],
  companion: (id: string) => ["b", id],
  records: (account: bigint, prefix: string) => [account, prefix],
  record: (account: bigint, sid: string) => [account, sid.slice(0, 2), ordOf(sid)],
  chargesOf: (account: bigint, day: number) => [account, "$", day],
  charge: (
    { account, day, category, what }: {
      account: bigint;
      day: number;
      category: string;
      what: string;
    },
  ) => [account, "$", day, category, what],
  stock: ["i", "n"],
  stocked: (phoneNumber: string) => ["i", "n", phoneNumber],
  stockKinds: ["i", "k"],
  stockKind: (isoCountry: string, kind: string) => ["i", "k", isoCountry, kind],
  stockOfKind: (isoCountry: string, kind: string, phoneNumber: string) => [
    "i",
    "k",
    isoCountry,
    kind,
    phoneNumber,
  ],
  lanes: ["q", "a"],
  lane: (lane: string) => ["q", "a", lane],
  jobs: ["q", "d"],
  laneJobs: (lane: string) => ["q", "d", lane],
  job: (lane: string, due: number, id: string) => ["q", "d", lane, due, id],
  wake: ["q", "w"],
  deadJobs: ["q", "x"],
  deadJob: (lane: string, id: string) => ["q", "x", lane, id],
} as const;

const ordOf = (sid: string): Uint8Array => Uint8Array.fromHex(sid.slice(2));
