import assert from "node:assert/strict";
import { sipLimits } from "../../../sip/base/limits.ts";
import { createLockout } from "../../../sip/base/lockout.ts";
import { handClock } from "../../support/process/hand_clock.ts";

const {
  wrongAnswersOfDevice,
  wrongAnswersOfLogin,
  wrongAnswersFromAddress,
  lockoutMinMs,
  lockoutMaxMs,
} = sipLimits;
let ports = 0;

/** Of a connection that no other answer came by. */
const anew = () => ({ port: ++ports });

function startLockout() {
  const clock = handClock();
  const lockout = createLockout(clock.now);
  return {
    clock,
    lockout,
    /** Wrong answers in a row, from one address, each by a connection of its own. */
    guess(login: string, times: number, host = "198.51.100.1") {
      for (let i = 0; i < times; i++) lockout.wrong({ login, host, ...anew() });
    },
    remainingMs: (login: string) => lockout.remainingMs({ login, host: "198.51.100.1", ...anew() }),
  };
}

Deno.test("remainingMs() doubles with each wrong answer beyond the free ones, up to a bound", () => {
  const { guess, remainingMs } = startLockout();

  guess("alice", wrongAnswersOfLogin.free - 1);
  assert.equal(remainingMs("alice"), 0);
  for (let ms: number = lockoutMinMs; ms < lockoutMaxMs; ms *= 2) {
    guess("alice", 1);
    assert.equal(remainingMs("alice"), ms);
  }
  guess("alice", 1);

  assert.equal(remainingMs("alice"), lockoutMaxMs);
  assert.equal(remainingMs("bob"), 0);
});

Deno.test("remainingMs() ends with time, and wrong answers are forgotten one by one", () => {
  const { guess, remainingMs, clock } = startLockout();
  const { free, forgetMs } = wrongAnswersOfLogin;

  guess("alice", free);
  clock.advance(lockoutMinMs);
  assert.equal(remainingMs("alice"), 0);
  guess("alice", 1);
  assert.equal(remainingMs("alice"), 2 * lockoutMinMs);
  clock.advance((free + 1) * forgetMs);
  guess("alice", free - 1);

  assert.equal(remainingMs("alice"), 0);
});

Deno.test("remainingMs() locks a connection, and leaves its login to others in its network", () => {
  const { lockout, clock } = startLockout();
  const guesser = { login: "alice", host: "203.0.113.1", port: 1 };

  // A guesser that answers whenever its lock is over, for an hour.
  for (const end = clock.now() + 3_600_000; clock.now() < end;) {
    lockout.wrong(guesser);
    clock.advance(lockout.remainingMs(guesser));
    assert.equal(lockout.remainingMs({ ...guesser, port: 2 }), 0);
  }

  lockout.wrong(guesser);
  assert.ok(lockout.remainingMs(guesser) > lockoutMinMs);
  assert.equal(lockout.remainingMs({ ...guesser, login: "bob" }), 0);
});

Deno.test("right() clears the count of its connection alone", () => {
  const { lockout, guess } = startLockout();
  const answerer = { login: "alice", host: "198.51.100.1", port: 1 };

  for (let i = 0; i < wrongAnswersOfDevice.free; i++) lockout.wrong(answerer);
  assert.ok(lockout.remainingMs(answerer) > 0);
  lockout.right(answerer);
  assert.equal(lockout.remainingMs(answerer), 0);

  guess("alice", wrongAnswersOfLogin.free - wrongAnswersOfDevice.free);
  assert.equal(lockout.remainingMs({ ...answerer, port: 2 }), lockoutMinMs);
  guess("bob", wrongAnswersFromAddress.free);
  assert.ok(lockout.remainingMs({ ...answerer, login: "carol" }) > 0);
});

for (
  const [what, guesser, same, other] of [
    ["an IPv4 address", "192.0.2.1", "::ffff:192.0.2.1", "192.0.2.2"],
    ["a /64 of IPv6", "2001:db8::1", "2001:db8:0:0:f:f:f:f", "2001:db8:0:1::1"],
    ["the loopback", "::1", "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1"],
  ] as const
) {
  Deno.test(`remainingMs() counts the wrong answers from ${what} together`, () => {
    const { lockout } = startLockout();

    for (let i = 0; i < wrongAnswersFromAddress.free; i++) {
      lockout.wrong({ login: `login${i}`, host: guesser, ...anew() });
    }

    assert.equal(lockout.remainingMs({ login: undefined, host: same, ...anew() }), lockoutMinMs);
    assert.equal(lockout.remainingMs({ login: undefined, host: other, ...anew() }), 0);
  });
}

Deno.test("wrong() remembers a bounded number of logins, the latest", () => {
  const { lockout, guess, remainingMs } = startLockout();

  guess("first", wrongAnswersOfLogin.free);
  for (let i = 1; i < sipLimits.lockouts; i++) {
    lockout.wrong({ login: `login${i}`, host: "x", ...anew() });
  }
  assert.equal(remainingMs("first"), lockoutMinMs);
  lockout.wrong({ login: "last", host: "x", ...anew() });

  assert.equal(remainingMs("first"), 0);
});

Deno.test("remainingMs() locks a login in the network of the wrong answers alone", () => {
  const { lockout, guess, remainingMs } = startLockout();

  for (let i = 0; i < 20; i++) guess("alice", 40, `192.0.2.${i}`);

  assert.equal(lockout.remainingMs({ login: "alice", host: "192.0.2.1", ...anew() }), lockoutMaxMs);
  assert.equal(remainingMs("alice"), 0);
});

Deno.test("remainingMs() lets no other login lock one out in a network where it was right", () => {
  const { lockout, clock } = startLockout();
  const home = { login: "alice", host: "203.0.113.1", port: 1 };

  lockout.right(home);
  for (let i = 0; i < 2 * wrongAnswersFromAddress.free; i++) {
    lockout.wrong({ login: `login${i}`, host: home.host, ...anew() });
  }

  assert.equal(lockout.remainingMs(home), 0);
  assert.ok(lockout.remainingMs({ login: "bob", host: home.host, ...anew() }) > 0);
  clock.advance(wrongAnswersOfLogin.forgetMs);
  assert.equal(lockout.remainingMs(home), 0);
});

Deno.test("remainingMs() judges a device that was right by its own wrong answers alone", () => {
  const { lockout, guess } = startLockout();
  const onFlow = { login: "alice", host: "198.51.100.1", port: 1, knownAs: "7" };

  guess("alice", 2 * wrongAnswersOfLogin.free);
  assert.equal(lockout.remainingMs(onFlow), 0);
  for (let i = 0; i < wrongAnswersOfDevice.free; i++) lockout.wrong(onFlow);

  assert.equal(lockout.remainingMs(onFlow), lockoutMinMs);
  assert.equal(lockout.remainingMs({ ...onFlow, knownAs: "8" }), 0);
});

Deno.test("remainingMs() locks a login out where it was right after wrong answers from there", () => {
  const { lockout } = startLockout();
  const home = { login: "alice", host: "203.0.113.1", port: 1 };

  lockout.right(home);
  for (let i = 0; i < wrongAnswersOfDevice.free; i++) lockout.wrong(home);

  assert.equal(lockout.remainingMs(home), lockoutMinMs);
});

Deno.test("right() remembers a bounded number of addresses, the latest", () => {
  const { lockout } = startLockout();
  const home = { login: "alice", host: "203.0.113.1", port: 1 };

  lockout.right(home);
  for (let i = 0; i < wrongAnswersFromAddress.free; i++) {
    lockout.wrong({ login: `login${i}`, host: home.host, ...anew() });
  }
  for (let i = 1; i < sipLimits.knownHomes; i++) {
    lockout.right({ login: `login${i}`, host: "x", ...anew() });
  }
  assert.equal(lockout.remainingMs(home), 0);
  lockout.right({ login: "last", host: "x", ...anew() });

  assert.equal(lockout.remainingMs(home), lockoutMinMs);
});
