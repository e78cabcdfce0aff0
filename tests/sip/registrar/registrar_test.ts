import assert from "node:assert/strict";
import { sipTest, startSipLab } from "../../support/sip/sip_lab.ts";
import { sipLimits } from "../../../sip/base/limits.ts";
import { openSoftphone, type Softphone } from "../../support/sip/softphone.ts";
import { digestHa1, digestResponse } from "../../../sip/text/digest.ts";
import { testDomain } from "../../support/sip/fake_service.ts";
import { valueOf, valuesOf } from "../../support/sip/sip_text.ts";

sipTest("register() binds the Contact when the password is right", async () => {
  await using lab = await startSipLab();
  const phone = await lab.phone("alice", { register: false });

  const response = await phone.register();

  assert.equal(response.status, 200);
  assert.match(valueOf(response, "contact"), new RegExp(`^<${phone.contact}>;expires=600$`));
});

sipTest("register() challenges with SHA-256 and then MD5", async () => {
  await using lab = await startSipLab();
  const phone = await lab.phone("alice", { register: false });

  const response = await phone.request("REGISTER");

  assert.equal(response.status, 401);
  const algorithms = valuesOf(response, "www-authenticate").map((value) =>
    /algorithm=([^,]+)/.exec(value)?.[1]
  );
  assert.deepEqual(algorithms, ["SHA-256", "MD5"]);
});

for (const login of ["alice", "nobody"]) {
  sipTest(
    `register() challenges ${login} again, then locks it, when the password is wrong`,
    async () => {
      await using lab = await startSipLab();
      const phone = await openSoftphone({
        url: lab.companion.sipUrl,
        login,
        password: "guess",
        domain: testDomain,
      });

      const statuses: unknown[] = [];
      for (let tries = 0; tries < 6; tries++) statuses.push((await phone.register()).status);
      await phone.close();

      assert.deepEqual(statuses, [401, 401, 401, 401, 401, 503]);
    },
  );
}

sipTest("register() takes the domain in any case", async () => {
  await using lab = await startSipLab({ sipDomain: testDomain.toUpperCase() });
  const phone = await lab.phone("alice", { register: false });

  const response = await phone.register();

  assert.equal(response.status, 200);
});

/** Sends REGISTERs with wrong answers to one challenge of ours. */
async function guesserOn(phone: Softphone) {
  const challenge = await phone.request("REGISTER");
  const nonce = /nonce="([^"]+)"/.exec(valueOf(challenge, "www-authenticate"))?.[1] ?? "";
  return (login: string) =>
    phone.request("REGISTER", {
      headers: [
        `Authorization: Digest username="${login}", realm="${testDomain}", nonce="${nonce}", ` +
        `uri="sip:${testDomain}", response="0", algorithm=MD5, qop=auth, nc=00000001, cnonce="c"`,
      ],
    });
}

sipTest(
  "register() counts the wrong answers of a login over all connections of a network",
  async () => {
    await using lab = await startSipLab();
    const alice = await lab.phone("alice");

    for (let tries = 0; tries < sipLimits.wrongAnswersOfLogin.free; tries++) {
      const guesser = await lab.phone("bob", { register: false });
      const guess = await guesserOn(guesser);
      assert.equal((await guess("alice")).status, 401);
      await guesser.close();
    }
    const stranger = await lab.phone("alice", { register: false });
    const locked = await stranger.register();
    const renewed = await alice.register();
    const again = await stranger.register();

    assert.equal(locked.status, 503);
    assert.match(valueOf(locked, "retry-after"), /^[12]$/);
    // The registered phone's answers are evaluated; a right one forgives nothing to others there.
    assert.deepEqual([renewed.status, again.status], [200, 503]);
  },
);

sipTest("register() counts wrong answers one after another when they come at once", async () => {
  await using lab = await startSipLab();
  const phone = await lab.phone("alice", { register: false });

  const { free } = sipLimits.wrongAnswersOfDevice;
  const guess = await guesserOn(phone);
  const responses = await Promise.all(Array.from({ length: 20 }, () => guess("alice")));

  const statuses = responses.map(({ status }) => status);
  assert.equal(statuses.filter((status) => status === 401).length, free);
  assert.equal(statuses.filter((status) => status === 503).length, 20 - free);
});

sipTest("register() asks for no login any more from an address that guesses many", async () => {
  await using lab = await startSipLab();
  const carol = await lab.phone("carol");
  const guesser = await lab.phone("alice", { register: false });
  const bob = await lab.phone("bob", { register: false });

  const guess = await guesserOn(guesser);
  for (let tries = 0; tries < sipLimits.wrongAnswersFromAddress.free; tries++) {
    await guess(`login${tries}`);
  }
  const locked = await bob.register();
  const renewed = await carol.register();

  assert.equal(locked.status, 503);
  assert.equal(lab.service.lookups.includes("bob"), false);
  assert.equal(renewed.status, 200);
});

sipTest("register() asks the service for no login that a Client cannot have", async () => {
  await using lab = await startSipLab();
  const phone = await lab.phone("alice", { register: false });

  const guess = await guesserOn(phone);
  const long = await guess("a".repeat(65));
  const odd = await guess("alice!");
  const empty = await guess("");

  assert.deepEqual([long.status, odd.status, empty.status], [401, 401, 401]);
  assert.deepEqual(lab.service.lookups, []);
});

/** Answers to one challenge of alice's, with SHA-256. */
async function answerer(phone: Softphone) {
  const challenge = await phone.request("REGISTER");
  const nonce = /nonce="([^"]+)"/.exec(valueOf(challenge, "www-authenticate"))?.[1] ?? "";
  const identity = { username: "alice", realm: testDomain, password: "alice-secret" };
  const uri = `sip:${testDomain}`;
  const replace = { to: `<sip:alice@${testDomain}>` };
  return (nc: string, { qop = "auth", algorithm = "SHA-256", target = uri } = {}) => {
    const ha1 = digestHa1("SHA-256", identity);
    const parameters = { nonce, nc, cnonce: "c", qop, uri };
    const response = digestResponse("SHA-256", { method: "REGISTER", ha1 }, parameters);
    const header =
      `Authorization: Digest username="alice", realm="${testDomain}", nonce="${nonce}", ` +
      `uri="${uri}", response="${response}", algorithm=${algorithm}, qop=${qop}, nc=${nc}, ` +
      `cnonce="c"`;
    return phone.request("REGISTER", { target, headers: [header], replace });
  };
}

sipTest("register() takes each count of a nonce once", async () => {
  await using lab = await startSipLab();
  const answer = await answerer(await lab.phone("alice", { register: false }));

  const first = await answer("00000001");
  const replayed = await answer("00000001");
  const next = await answer("00000002");

  assert.deepEqual([first.status, replayed.status, next.status], [200, 401, 200]);
  assert.match(valueOf(replayed, "www-authenticate"), /stale=true/);
});

const otherForms = [
  `sip:${testDomain};transport=tcp`,
  `sip:${testDomain}:5070`,
  `sip:${testDomain.toUpperCase()}:5070;transport=udp`,
  `sip:${testDomain}:5060;lr?X-A=1`,
];
for (const target of otherForms) {
  sipTest(`register() takes an answer for the resource of the Request-URI ${target}`, async () => {
    await using lab = await startSipLab();
    const answer = await answerer(await lab.phone("alice", { register: false }));

    assert.equal((await answer("00000001", { target })).status, 200);
  });
}

sipTest(
  "register() takes no answer for another resource than that of the Request-URI",
  async () => {
    await using lab = await startSipLab();
    const answer = await answerer(await lab.phone("alice", { register: false }));

    const host = await answer("00000001", { target: "sip:other.test" });
    const user = await answer("00000002", { target: `sip:bob@${testDomain}` });

    assert.deepEqual([host.status, user.status], [401, 401]);
  },
);

sipTest("register() has the least recently renewed address give way to one too many", async () => {
  await using lab = await startSipLab();
  const phone = await lab.phone("alice", { register: false });
  const contact = (n: number) => `<sip:alice@192.0.2.1:${4_000 + n}>`;
  const add = (n: number) => phone.register({ contact: contact(n) });
  const { bindingsPerClient: most } = sipLimits;
  for (let n = 0; n < most; n++) assert.equal((await add(n)).status, 200);

  await add(0); // It is renewed, so that the next one is the oldest.
  const last = await add(most);

  assert.equal(last.status, 200);
  const kept = valuesOf(last, "contact").map((value) =>
    Number(/:(4\d+)>/.exec(value)?.[1]) - 4_000
  );
  assert.deepEqual(kept, [...Array.from({ length: most - 2 }, (_, i) => i + 2), 0, most]);
});

sipTest("register() refuses more addresses at once than fit, and changes nothing", async () => {
  await using lab = await startSipLab();
  const phone = await lab.phone("alice");
  const contacts = Array.from(
    { length: sipLimits.bindingsPerClient + 1 },
    (_, n) => `<sip:alice@192.0.2.1:${4_000 + n}>`,
  );

  const refused = await phone.register({ contact: contacts.join(", ") });
  const removing = await phone.register({ contact: contacts.join(", "), expires: 0 });

  assert.equal(refused.status, 503);
  assert.equal(valueOf(refused, "retry-after"), "60");
  assert.match(valueOf(refused, "warning"), /more than 10 addresses/);
  assert.equal(removing.status, 200);
  assert.equal(valuesOf(removing, "contact").length, 1);
});

sipTest("register() takes no protection and no algorithm that it did not offer", async () => {
  await using lab = await startSipLab();
  const answer = await answerer(await lab.phone("alice", { register: false }));

  const integrity = await answer("00000001", { qop: "auth-int" });
  const session = await answer("00000002", { algorithm: "SHA-256-sess" });
  const right = await answer("00000003");

  assert.deepEqual([integrity.status, session.status, right.status], [401, 401, 200]);
  assert.doesNotMatch(valueOf(integrity, "www-authenticate"), /stale/);
});

sipTest(
  "register() refuses another's address, a foreign domain and a disabled Client",
  async () => {
    await using lab = await startSipLab();
    const alice = await lab.phone("alice", { register: false });
    const bob = await lab.phone("bob", { register: false });
    const disabled = lab.service.credentials.get("bob");
    if (disabled) disabled.allowed = false;

    const refusedBob = await bob.register();
    const foreign = await alice.request("REGISTER", { replace: { to: "<sip:alice@other.test>" } });

    assert.equal(refusedBob.status, 403);
    assert.match(valueOf(refusedBob, "warning"), /^399 sip\.test ".*set Status of the Client to 1/);
    assert.equal(foreign.status, 404);
  },
);

sipTest("register() asks for a longer time with 423 and bounds a long one", async () => {
  await using lab = await startSipLab();
  const phone = await lab.phone("alice", { register: false });

  const brief = await phone.register({ expires: 5 });
  const long = await phone.register({ expires: 999_999 });

  assert.equal(brief.status, 423);
  assert.equal(valueOf(brief, "min-expires"), "60");
  assert.match(valueOf(long, "contact"), /;expires=3600$/);
});

sipTest("register() replaces the binding of a device and keeps those of others", async () => {
  await using lab = await startSipLab();
  const instance = "00000000-0000-4000-8000-000000000001";
  await lab.phone("alice", { instance });
  const again = await lab.phone("alice", { instance, register: false });

  const replaced = await again.register();
  const other = await lab.phone("alice", { register: false });
  const added = await other.register();

  assert.equal(valuesOf(replaced, "contact").length, 1);
  assert.ok(valueOf(replaced, "contact").includes(again.contact));
  assert.equal(valuesOf(added, "contact").length, 2);
});

sipTest("register() confirms outbound when the phone supports it", async () => {
  await using lab = await startSipLab();
  const phone = await lab.phone("alice", {
    instance: "00000000-0000-4000-8000-000000000001",
    register: false,
  });

  const response = await phone.register({ headers: ["Supported: path, outbound"] });

  assert.equal(valueOf(response, "require"), "outbound");
});

sipTest("register() removes one Contact, then all of them, and lists what is left", async () => {
  await using lab = await startSipLab();
  const first = await lab.phone("alice");
  const second = await lab.phone("alice");
  await lab.phone("alice");

  const removed = await first.register({ expires: 0 });
  const wrong = await second.register({ expires: 60, contact: "*" });
  const cleared = await second.register({ expires: 0, contact: "*" });

  assert.equal(valuesOf(removed, "contact").length, 2);
  assert.equal(wrong.status, 400);
  assert.equal(valuesOf(cleared, "contact").length, 0);
});

sipTest("register() queries the service once for repeated requests of a login", async () => {
  await using lab = await startSipLab();

  await Promise.all([lab.phone("alice"), lab.phone("alice")]);

  assert.deepEqual(lab.service.lookups, ["alice"]);
});

sipTest("register() answers 503 when the service is out of reach", async () => {
  await using lab = await startSipLab();
  lab.service.outage = 503;
  const phone = await lab.phone("alice", { register: false });

  const response = await phone.register();

  assert.equal(response.status, 503);
  assert.equal(valueOf(response, "retry-after"), "10");
});

sipTest("invalidate() removes the bindings of a Client who may not call any more", async () => {
  await using lab = await startSipLab();
  const phone = await lab.phone("alice");
  const client = lab.service.credentials.get("alice");
  if (client) client.allowed = false;

  const response = await lab.service.order(lab.companion.bridgeUrl, "/invalidate", {
    logins: ["alice"],
  });
  await response.body?.cancel();
  const refused = await phone.register();

  assert.equal(response.status, 200);
  assert.equal(refused.status, 403);
});
