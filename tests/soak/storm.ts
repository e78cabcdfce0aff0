import assert from "node:assert/strict";
import { type AppServer, startAppServer } from "../support/service/app_server.ts";
import { eventually } from "../support/process/eventually.ts";
import { type Machine, startMachine } from "../support/process/machine.ts";
import { shuffled } from "../support/service/store_lab.ts";
import { webrtcAnswer } from "../support/media/webrtc_answer.ts";

/** A store that several services share, or the embedded file of one. */
export interface StormedStore {
  /** Empty for an embedded file. */
  url: string;
  /**
   * Ends its server without warning, and starts another on the same data; absent if that is
   * impossible.
   */
  kill?(): Promise<void>;
}

/** A number of 0 or more and below `end`, another one in each run. */
const roll = (end: number): number => Math.floor(Math.random() * end);

export interface Storm {
  calls: number;
  /** A process is killed so many times. */
  kills: number;
  log(line: string): void;
}

/**
 * Services and companions, two of each on a shared store and one on an embedded file, place calls
 * to phones that answer and to missing ones. Meanwhile the processes are killed in a random order,
 * each of them equally often. Then every acknowledged call has ended, and one Delivery reports its
 * end.
 */
export async function storm(
  { url, kill: killStore }: StormedStore,
  { calls, kills, log }: Storm,
): Promise<void> {
  await using app = startAppServer();
  app.pages.set("/voice", "<Response><Pause length='1'/></Response>");
  await using one = await startMachine("one", url);
  await using two = url === "" ? null : await startMachine("two", url);
  const machines = two === null ? [one] : [one, two];
  for (const Login of ["alice", "bob"]) {
    await one.post("Clients.json", { Login, Password: `${Login}-secret` });
  }
  const over = new AbortController();
  const answering = [
    answerAll(one, "alice", over.signal),
    answerAll(two ?? one, "bob", over.signal),
  ];
  const acknowledged = new Set<string>();
  const placing = placeAll(machines, { app, calls, acknowledged });

  const victims = [
    ...machines.flatMap((machine) =>
      (["api", "sip"] as const).map((process) => async () => {
        machine.kill(process);
        await machine.ready();
      })
    ),
    ...(killStore ? [killStore] : []),
  ];
  let next: typeof victims = [];
  for (let n = 0; n < kills; n++) {
    if (next.length === 0) next = shuffled(victims, roll);
    await next.pop()!(); // There is one.
    const most = Math.ceil(calls * (n + 1) / kills);
    await eventually(`${most} calls were tried`, () => placing.tried() >= most || placing.isOver());
    log(`${n + 1} kills, ${acknowledged.size} calls acknowledged of ${placing.tried()}`);
  }
  await placing.done;
  await allEnded(one, acknowledged);
  await allTold(app, one, acknowledged);
  over.abort();
  await Promise.all(answering);
  assert.ok(acknowledged.size > calls / 3, `${acknowledged.size} of ${calls} were acknowledged`);
  log(`${acknowledged.size} acknowledged calls have ended, each told once`);
}

/** A phone that answers each call and hangs up; it comes back when its companion was killed. */
async function answerAll(machine: Machine, login: string, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    try {
      const phone = await machine.phone(login);
      phone.onCall = async (call) => {
        try {
          await (await call.answer(webrtcAnswer(call.invite.body))).bye();
        } catch {
          // Its companion was killed meanwhile.
        }
      };
      const stop = () => void phone.close();
      over.addEventListener("abort", stop, { once: true });
      await phone.closed;
    } catch {
      await machine.ready();
    }
  }
}

/** Places calls one after the other; a refused one is not acknowledged, and nothing is owed of it. */
function placeAll(
  machines: Machine[],
  { app, calls, acknowledged }: { app: AppServer; calls: number; acknowledged: Set<string> },
) {
  const logins = ["alice", "bob", "nobody"];
  let [tried, isOver] = [0, false];
  const place = async () => {
    while (tried < calls) {
      const n = tried++;
      const form = {
        From: "me",
        To: `client:${logins[n % logins.length]}`,
        Url: `${app.url}/voice`,
        StatusCallback: `${app.url}/events`,
      };
      try {
        const machine = machines[n % machines.length]!;
        acknowledged.add((await machine.post("Calls.json", form)).sid);
      } catch {
        await machines[n % machines.length]!.ready();
      }
    }
  };
  const done = Promise.all([place(), place(), place()]).then(() => void (isOver = true));
  return { done, tried: () => tried, isOver: () => isOver };
}

const final = ["completed", "busy", "failed", "no-answer", "canceled"];

async function allEnded(machine: Machine, sids: Set<string>): Promise<void> {
  await machine.ready();
  for (const sid of sids) {
    await eventually(`${sid} has ended`, async () => {
      return final.includes((await machine.get(`Calls/${sid}.json`)).status);
    });
  }
}

/**
 * Asserts that one Delivery, whose request may be repeated, reports the end of each call. No
 * Delivery waits.
 */
async function allTold(app: AppServer, machine: Machine, sids: Set<string>): Promise<void> {
  const deliveriesOf = () => {
    const deliveries = new Map<string, Set<string>>();
    for (const { path, form, headers } of app.requests) {
      if (path !== "/events") continue;
      const of = deliveries.get(form.CallSid!) ?? new Set();
      deliveries.set(form.CallSid!, of.add(headers.get("x-switchboard-delivery")!));
    }
    return deliveries;
  };
  await eventually("each end was told", () => sids.isSubsetOf(new Set(deliveriesOf().keys())));
  await eventually("no Delivery waits", async () => {
    return (await machine.get("Webhooks/Deliveries.json?Status=queued&PageSize=1")).total === 0;
  });
  const deliveries = deliveriesOf();
  const twice = [...sids].filter((sid) => deliveries.get(sid)!.size !== 1);
  assert.deepEqual(twice, [], "told by several Deliveries");
}
