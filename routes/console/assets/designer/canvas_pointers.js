import { line } from "./canvas_parts.js";
import { connect, moveStep } from "./edits.js";
import { nodeWidth, portY } from "./layout.js";

/** Pixels from which a press is a drag. */
const dragged = 4;

/**
 * The pointer on the canvas: a press selects a step, a drag moves it, a drag from a port connects
 * it, and a drag of the ground scrolls.
 */
export function pointersOf(state, context) {
  const { view } = state;
  view.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    const node = event.target.closest(".node");
    const port = event.target.closest(".port");
    if (node === null) return event.pointerType === "mouse" && pan(event, state);
    if (port !== null) return draw(event, { state, context, node, port });
    move(event, { state, context, node });
  });
}

/** Follows a pointer until it is up; `done` knows whether it moved at all. */
function follow(down, state, { moved, done }) {
  let isDrag = false;
  state.isDragging = true;
  const target = down.target;
  target.setPointerCapture(down.pointerId);
  const onMove = (event) => {
    const [dx, dy] = [event.clientX - down.clientX, event.clientY - down.clientY];
    isDrag ||= Math.hypot(dx, dy) >= dragged;
    if (isDrag) moved(dx, dy, event);
  };
  const end = (event) => {
    target.removeEventListener("pointermove", onMove);
    target.removeEventListener("pointerup", end);
    target.removeEventListener("pointercancel", end);
    state.isDragging = false;
    done(isDrag, event);
    if (state.isStale) state.draw();
  };
  target.addEventListener("pointermove", onMove);
  target.addEventListener("pointerup", end);
  target.addEventListener("pointercancel", end);
}

function pan(down, state) {
  const { view } = state;
  const { scrollLeft, scrollTop } = view;
  follow(down, state, {
    moved: (dx, dy) => view.scrollTo(scrollLeft - dx, scrollTop - dy),
    done() {},
  });
}

function move(down, { state, context: { model, schemas }, node }) {
  const name = node.dataset.step;
  const at = state.positions.get(name);
  let to = at;
  follow(down, state, {
    moved(dx, dy) {
      to = { x: Math.max(0, at.x + dx / state.zoom), y: Math.max(0, at.y + dy / state.zoom) };
      node.style.left = `${to.x}px`;
      node.style.top = `${to.y}px`;
    },
    done(isDrag, { type }) {
      if (isDrag && type === "pointerup") {
        model.change((flow) => {
          moveStep(flow, name, to, schemas);
          return name;
        });
      } else model.select(name);
    },
  });
}

/** Draws a line from a port to the pointer; the step that it ends over is the one that follows. */
function draw(down, { state, context: { model }, node, port }) {
  const name = node.dataset.step;
  const at = state.positions.get(name);
  const ports = [...node.querySelectorAll(".port")];
  const from = { x: at.x + nodeWidth, y: at.y + portY(ports.indexOf(port)) };
  const over = (event) => document.elementFromPoint(event.clientX, event.clientY)?.closest(".node");
  let shown = null;
  follow(down, state, {
    moved(_, __, event) {
      const { left, top } = state.lines.getBoundingClientRect();
      const to = {
        x: (event.clientX - left) / state.zoom,
        y: (event.clientY - top) / state.zoom,
      };
      shown?.remove();
      shown = line(from, to, { class: "drawn" });
      state.lines.append(shown);
      for (const one of state.cards.children) one.classList.toggle("target", one === over(event));
    },
    done(isDrag, event) {
      shown?.remove();
      const target = isDrag && event.type === "pointerup" ? over(event) : null;
      for (const one of state.cards.children) one.classList.remove("target");
      if (!isDrag) return model.select(name);
      model.change((flow) => {
        connect(flow, name, port.dataset.port, target?.dataset.step);
        return name;
      });
    },
  });
}
