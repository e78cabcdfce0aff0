import { start } from "./sounds.js";

/** Plays ringing tones and sets the page title by the states of the calls. */
export function followCalls() {
  let playing = "";
  let stop = () => {};
  const plain = document.title;
  return (calls) => {
    const incoming = calls.find(({ state }) => state === "incoming");
    const talking = calls.find(({ state, isHeld }) => state === "talking" && !isHeld);
    const out = calls.find(({ state, hasEarlyMedia }) => state === "ringing" && !hasEarlyMedia);
    const wanted = incoming && !talking ? "ring" : out ? "ringback" : "";
    if (wanted !== playing) {
      stop();
      playing = wanted;
      stop = wanted === "" ? () => {} : start(wanted);
    }
    document.title = incoming
      ? `☎ ${incoming.name} is calling – Switchboard`
      : talking
      ? `${talking.name} – Switchboard`
      : plain;
  };
}
