import * as audio from "./audio.js";
import { openJsSip } from "./jssip.js";
import { openSipJs } from "./sip_js.js";
import { dropSocket, onSip } from "./socket.js";
import { webrtc } from "./webrtc.js";

/** Functions of the page that a test may call; `emit` reports an event to the test. */

const emit = (name, detail = "") => void globalThis.emit(name, String(detail));
const openers = { "sip.js": openSipJs, jssip: openJsSip };
let phone;
onSip(emit);

globalThis.lab = {
  ...audio,
  ...webrtc,
  emit,
  dropSocket,
  /** An error that no call of the test's is there to take. */
  failLater: (message) =>
    void setTimeout(() => {
      throw new Error(message);
    }),
  openPhone: (kind, account) => void (phone = openers[kind](account, emit)),
  phone: async (action, ...args) => void (await phone[action](...args)),
};
