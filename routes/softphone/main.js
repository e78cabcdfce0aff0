import { canCall } from "./ability.js";
import { forgetAccount, keptAccount, logInForm } from "./log_in.js";
import { openPhone } from "./phone.js";
import { audioContext } from "./sounds.js";

const $ = (id) => document.getElementById(id);
const state = $("state");
let phone;

const form = logInForm((account) => {
  audioContext(); // After a click the page may play sounds.
  void enter(account);
});

/** Shows the state of the registration. */
function show(kind, text) {
  state.dataset.kind = kind;
  if (state.textContent !== text) state.textContent = text;
}

async function enter(account) {
  form.setBusy(true);
  show("connecting", "Connecting…");
  await phone?.close(); // A phone that never registered.
  phone = undefined;
  try {
    const answer = await fetch("softphone/settings.json");
    if (!answer.ok) throw new Error(`Cannot read the settings: ${answer.status}`);
    const settings = await answer.json();
    if (location.protocol === "https:" && settings.ws_url.startsWith("ws:")) {
      return leave("A page that came over https needs SIP_WS_URL to be a wss address");
    }
    phone = openPhone(account, settings, (now) => follow(account, now));
  } catch {
    leave("Switchboard does not answer: try again in a moment");
  }
}

function follow({ login }, { kind, seconds, reason }) {
  switch (kind) {
    case "connecting":
      return show(kind, "Connecting…");
    case "waiting":
      form.setBusy(false);
      return show(
        kind,
        `${$("phone").hidden ? "No connection" : "Connection lost"}, ` +
          `trying again in ${seconds} s`,
      );
    case "refused":
      return void leave(reason);
    case "registered":
      show(kind, `Registered as ${login.split("~")[0]}`);
      if ($("phone").hidden) open();
  }
}

function open() {
  form.setBusy(false);
  form.hide();
  $("phone").hidden = false;
  $("log-out").hidden = false;
  $(canCall ? "target" : "log-out").focus();
}

/** Shows the log-in form with the reason `why`. */
async function leave(why = "") {
  forgetAccount();
  const leaving = phone;
  phone = undefined;
  $("phone").hidden = true;
  $("log-out").hidden = true;
  $("notice").textContent = "";
  form.setBusy(false);
  show("off", "Not logged in");
  form.show(why);
  await leaving?.close();
}

$("log-out").addEventListener("click", () => leave());
addEventListener("beforeunload", (event) => phone?.isCalling() && event.preventDefault());
addEventListener("pagehide", () => void phone?.close());

$("cannot-call").hidden = canCall;
document.body.classList.toggle("cannot-call", !canCall);
const kept = keptAccount();
if (kept === null) form.show();
else {
  $("log-in").hidden = true;
  void enter(kept);
}
// A page from the browser's cache has lost its connection.
addEventListener("pageshow", ({ persisted }) => persisted && location.reload());
// The last statement: the notice stays when a module cannot be run.
$("not-loaded").remove();
