import { arrivingNow } from "../conferences/queue_membership.ts";
import { Fault } from "../base/faults.ts";
import { method, url, wholeNumber } from "../base/fields.ts";
import { limits } from "../base/limits.ts";
import type { Base } from "../base/record.ts";
import { waitOf } from "../conferences/enqueue.ts";
import { isFree } from "../conferences/queue_membership.ts";
import { redirectMember } from "./redirect_member.ts";
import { type Queue, type QueueMember, queues as definition } from "../model/resources/queues.ts";
import { action, type Asked, needs, noun, works } from "./noun/noun.ts";
import { fetched, found, given, listedOf, made } from "./noun/regular.ts";
import { basic, date } from "./noun/written.ts";

const ownName = (accountSid: string, name: string): string => `${accountSid}/${name}`;

const maxSize = works(
  wholeNumber(1, limits.queueMembers),
  `at most ${limits.queueMembers}, the default`,
);

/** Seconds that those who wait have waited, on average. */
function averageWait({ members }: Queue, ports: Asked["ports"]): number {
  const waits = members.map((member) => waitOf(member, ports));
  const sum = waits.reduce((all, one) => all + one, 0);
  return members.length === 0 ? 0 : Math.round(sum / members.length / 1_000);
}

/** Refuses what would leave calls in a queue that is gone. */
async function removeQueue({ account, path, ports }: Asked): Promise<void> {
  await ports.records.queues.remove(account.sid, path.Sid ?? "", (queue) => {
    const waiting = queue.members.length + arrivingNow(queue, ports.steadyNow()).length;
    if (waiting === 0) return { record: queue };
    throw new Fault("queueNotEmpty", `${waiting} wait in "${queue.friendlyName}"`);
  });
}

/** Calls that wait. */
export const queues = noun<Queue>({
  type: "Queue",
  path: "Queues",
  plural: "queues",
  fields: {
    ...basic,
    friendly_name: ({ friendlyName }) => friendlyName,
    current_size: ({ members }) => members.length,
    max_size: ({ maxSize = limits.queueMembers }) => maxSize,
    average_wait_time: (queue, { ports }) => averageWait(queue, ports),
  },
  address: ({ sid }) => `Queues/${sid}`,
  below: { members: "Members" },
  create: action({
    parameters: { FriendlyName: needs(definition.fields.friendlyName), MaxSize: maxSize },
    perform: (asked, { FriendlyName: friendlyName, MaxSize }) =>
      made("queues", {
        friendlyName,
        ownName: ownName(asked.account.sid, friendlyName),
        ...MaxSize !== undefined && { maxSize: MaxSize },
      }, asked),
  }),
  fetch: fetched("queues"),
  update: action({
    parameters: { FriendlyName: works(definition.fields.friendlyName), MaxSize: maxSize },
    perform: ({ account, path, ports }, { FriendlyName: friendlyName, MaxSize }) =>
      ports.records.queues.update(account.sid, path.Sid ?? "", (queue) => ({
        record: {
          ...queue,
          ...friendlyName !== undefined && {
            friendlyName,
            ownName: ownName(account.sid, friendlyName),
          },
          ...MaxSize !== undefined && { maxSize: MaxSize },
          dateUpdated: ports.now(),
        },
      })),
  }),
  remove: removeQueue,
  listed: listedOf("queues", {}),
});

/** A call that waits, with its place. It has no Sid of its own: pages of them are counted. */
type Waiting = Base & Pick<QueueMember, "callSid" | "at" | "steadyAt"> & {
  queueSid: string;
  position: number;
};

const waiting = ({ accountSid, sid: queueSid, dateUpdated, members }: Queue): Waiting[] =>
  members.map(({ callSid, at, steadyAt }, index) => ({
    sid: "",
    accountSid,
    dateCreated: at,
    dateUpdated,
    callSid,
    at,
    ...steadyAt !== undefined && { steadyAt },
    queueSid,
    position: index + 1,
  }));

/** The waiting call in the path; `Front` is the first that no request has claimed. Throws `notFound`. */
async function memberOf(asked: Asked): Promise<Waiting> {
  const queue = await found("queues", asked.path.QueueSid ?? "", asked);
  const { Sid = "" } = asked.path;
  const at = asked.ports.steadyNow();
  const place = queue.members.findIndex((member) =>
    Sid === "Front" ? isFree(member, at) : member.callSid === Sid
  );
  const member = waiting(queue)[place];
  if (member === undefined) throw new Fault("notFound", Sid);
  return member;
}

/** The calls that wait in a queue, the longest-waiting first. */
export const queueMembers = noun<Waiting>({
  type: "Member",
  path: "Queues/{QueueSid}/Members",
  plural: "queue_members",
  fields: {
    call_sid: ({ callSid }) => callSid,
    queue_sid: ({ queueSid }) => queueSid,
    date_enqueued: ({ at }) => date(at),
    position: ({ position }) => position,
    wait_time: (member, { ports }) => Math.round(waitOf(member, ports) / 1_000),
  },
  address: ({ queueSid, callSid }) => `Queues/${queueSid}/Members/${callSid}`,
  fetch: memberOf,
  update: action({
    parameters: {
      Url: needs(url, "the call leaves the queue, and its markup is performed"),
      Method: works(method),
    },
    faults: { Url: "badUrl" },
    async perform(asked, { Url, Method }) {
      const { QueueSid = "", Sid } = asked.path;
      const named = { accountSid: asked.account.sid, sid: QueueSid };
      const callSid = Sid === "Front" ? undefined : Sid;
      const markup = given({ url: Url, method: Method });
      const { queue, member } = await redirectMember(named, { callSid, markup }, asked.ports);
      return waiting(queue).find((one) => one.callSid === member.callSid)!; // It was in this queue.
    },
  }),
  listed: {
    filters: {},
    async read(asked, { skip, limit }) {
      const members = waiting(await found("queues", asked.path.QueueSid ?? "", asked));
      return { items: members.slice(skip, skip + limit), total: members.length };
    },
  },
});
