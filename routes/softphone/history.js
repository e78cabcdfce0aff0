const MOST = 50;
const key = (login) => `switchboard.history.${login}`;

/** The past calls of a login in this browser, newest first. */
export function openHistory(login) {
  const read = () => {
    try {
      const kept = JSON.parse(localStorage.getItem(key(login)) ?? "[]");
      return Array.isArray(kept) ? kept : [];
    } catch {
      return []; // The browser allows no storage, or the entry is invalid.
    }
  };
  const write = (entries) => {
    try {
      localStorage.setItem(key(login), JSON.stringify(entries));
    } catch {
      // Private windows may allow no storage: then there is no history.
    }
  };
  return {
    entries: read,
    add({ direction, user, name, startedAt, endedAt, isMissed, notice }) {
      const seconds = startedAt === undefined ? 0 : Math.round((endedAt - startedAt) / 1_000);
      const entry = { direction, user, name, at: startedAt ?? endedAt, seconds, isMissed, notice };
      write([entry, ...read()].slice(0, MOST));
    },
    clear: () => write([]),
  };
}
