/**
 * Detects whether another tab of this browser has the same login: then both ring. `onChange`
 * receives each change. Returns a function that leaves.
 */
export function meetTabs(login, onChange) {
  const channel = new BroadcastChannel("switchboard.softphone");
  const me = crypto.randomUUID();
  const others = new Set();
  const say = (type) => channel.postMessage({ type, from: me, login });
  channel.onmessage = ({ data: { type, from, login: theirs } }) => {
    if (theirs !== login) return;
    if (type === "hello") say("here");
    if (type === "bye") others.delete(from);
    else others.add(from);
    onChange(others.size > 0);
  };
  say("hello");
  return () => {
    say("bye");
    channel.close();
  };
}
