import { el } from "./dom.js";
import { orderOf, problemWords, summaryOf } from "./links.js";

/** The flow as a list of steps in their order, each with the ways on from it. */
export function createOutline({ model, schemas, problems, trail, openForm }) {
  const list = el("ol", { class: "outline" });
  const view = el("nav", { class: "outline-view", "aria-label": "Steps" }, list);

  function draw() {
    const focused = document.activeElement?.dataset?.outline;
    const { flow, selected } = model;
    const { reached, unreached } = orderOf(flow, schemas.portsOf);
    list.replaceChildren(
      ...reached.map((name) => entry(name)),
      ...unreached.map((name) => entry(name, "not reached")),
    );
    if (reached.length + unreached.length === 0) {
      list.replaceChildren(el("li", { class: "soft" }, "No steps yet. Add the first one."));
    }
    if (focused) list.querySelector(`[data-outline="${CSS.escape(focused)}"]`)?.focus();

    function entry(name, mark) {
      const step = flow.steps[name];
      const wrong = problems().filter((one) => one.step === name).length;
      const marks = [
        flow.start === name && "start",
        mark,
        wrong > 0 && problemWords(wrong),
        trail().at === name && "dry run",
      ].filter(Boolean);
      return el(
        "li",
        {},
        el(
          "button",
          {
            type: "button",
            class: "step-link",
            "data-outline": name,
            "aria-current": selected === name ? "true" : undefined,
            onclick: () => {
              model.select(name);
              openForm(false);
            },
          },
          el("strong", {}, name),
          el("span", { class: "soft" }, ` ${step.type ?? "?"}`),
          marks.map((one) =>
            el("span", { class: `mark${/problem/.test(one) ? " bad" : ""}` }, one)
          ),
          el("span", { class: "cut soft" }, summaryOf(step)),
        ),
        ways(schemas.portsOf(step)),
      );
    }
  }
  return { view, draw };
}

function ways(ports) {
  const leading = ports.filter(({ target }) => target);
  if (leading.length === 0) return null;
  return el(
    "ul",
    { class: "ways" },
    leading.map(({ label, target }) => el("li", {}, `${label} → ${target}`)),
  );
}
