import { el } from "./dom.js";

/** Saves the flow, calls a Client with it, and warns before a page with unsaved changes is left. */
export function createSaving({ model, send, say, part }) {
  const page = document.getElementById("designer");
  const form = part("form");
  let saved = stateOf();

  function stateOf() {
    const { FriendlyName, Kind } = Object.fromEntries(new FormData(form));
    return JSON.stringify([model.flow, FriendlyName, Kind]);
  }
  const isChanged = () => stateOf() !== saved;

  function draw() {
    part("unsaved").hidden = !isChanged();
  }

  /** Resolves with whether it is saved. */
  async function save() {
    part("save-problem").textContent = "";
    const { FriendlyName, Kind, FlowVersion } = Object.fromEntries(new FormData(form));
    const state = stateOf();
    try {
      const { sid, version, to } = await send(page.dataset.sid ? `/${page.dataset.sid}` : "", {
        FriendlyName,
        Kind,
        ...page.dataset.sid && { FlowVersion },
        Flow: JSON.stringify(model.flow),
      });
      saved = state;
      if (!page.dataset.sid) return void location.assign(to);
      page.dataset.sid = sid;
      form.elements.FlowVersion.value = version;
      say(`Saved as version ${version}`);
      part("saved").textContent = `Version ${version}`;
      draw();
      return true;
    } catch ({ message, status }) {
      part("save-problem").replaceChildren(
        `${message}.`,
        ...status === 409
          ? [
            " ",
            el(
              "a",
              { href: `${page.dataset.base}/${page.dataset.sid}/versions`, target: "_blank" },
              "Look at the versions",
            ),
          ]
          : [],
      );
      return false;
    }
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    save();
  });
  form.addEventListener("input", draw);
  addEventListener("beforeunload", (event) => {
    if (isChanged()) event.preventDefault();
  });

  part("call")?.addEventListener("submit", async (event) => {
    event.preventDefault();
    const told = part("called");
    const call = new FormData(event.target);
    if (isChanged() && !await save()) return;
    try {
      const { to } = await send(`/${page.dataset.sid}/call`, call);
      told.replaceChildren("The call is placed. ", el("a", { href: to }, "See what becomes of it"));
    } catch ({ message }) {
      told.textContent = `${message}.`;
    }
  });
  return { draw };
}
