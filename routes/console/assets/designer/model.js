/** States that can be gone back to. */
const most = 200;

/**
 * The flow that is edited, the selected step, and the states before. Changes with the same key, such as
 * letters typed into one field, are undone together.
 */
export function createModel(flow) {
  const past = [];
  const future = [];
  const watchers = new Set();
  let current = { flow, selected: flow.start in flow.steps ? flow.start : null };
  let lastKey = null;

  const tell = () => watchers.forEach((watch) => watch());
  const move = (from, to) => {
    if (from.length === 0) return false;
    to.push(current);
    current = from.pop();
    lastKey = null;
    tell();
    return true;
  };

  return {
    get flow() {
      return current.flow;
    },
    get selected() {
      return current.selected;
    },
    get canUndo() {
      return past.length > 0;
    },
    get canRedo() {
      return future.length > 0;
    },
    watch: (watcher) => watchers.add(watcher),
    /**
     * Changes a copy of the flow. `edit` may return the name of the step that is selected then.
     * @param {string | null} [key]
     */
    change(edit, key = null) {
      const flow = structuredClone(current.flow);
      const selected = edit(flow);
      if (JSON.stringify(flow) === JSON.stringify(current.flow)) return;
      if (key === null || key !== lastKey) past.push(current);
      if (past.length > most) past.shift();
      future.length = 0;
      lastKey = key;
      const kept = current.selected in flow.steps ? current.selected : null;
      current = { flow, selected: selected ?? kept };
      tell();
    },
    select(name) {
      if (current.selected === name) return;
      current = { ...current, selected: name };
      lastKey = null;
      tell();
    },
    undo: () => move(past, future),
    redo: () => move(future, past),
  };
}
