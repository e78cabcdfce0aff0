import { el, titleOf } from "./dom.js";

/** The code of an error: another draft was saved meanwhile. */
const draftChanged = 20011;

/**
 * Saves the flow as a draft or publishes it, calls a Client with the published one, and warns before a
 * page with unsaved changes is left.
 */
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

  /** Saves a draft, or publishes (`does`); resolves with whether it is saved. */
  async function save(does) {
    part("save-problem").textContent = "";
    const { FriendlyName, Kind, FlowVersion, FlowDraftRevision } = Object.fromEntries(
      new FormData(form),
    );
    const state = stateOf();
    try {
      const { sid, version, revision, isDraft, to } = await send(
        page.dataset.sid ? `/${page.dataset.sid}` : "",
        {
          FriendlyName,
          Kind,
          ...page.dataset.sid && { FlowVersion, FlowDraftRevision },
          do: does,
          Flow: JSON.stringify(model.flow),
        },
      );
      saved = state;
      const isShown = page.dataset.sid && (does === "draft" || part("saved") !== null);
      if (!isShown || does === "discard") return void location.assign(to);
      page.dataset.sid = sid;
      form.elements.FlowDraftRevision.value = revision;
      part("draft").hidden = !isDraft;
      if (does === "publish") {
        form.elements.FlowVersion.value = version;
        part("saved").textContent = `Version ${version}`;
        part("discard")?.remove();
      }
      say(does === "draft" ? "Draft saved" : `Published as version ${version}`);
      draw();
      return true;
    } catch (error) {
      part("save-problem").replaceChildren(`${error.message}. `, ...waysOut(error, does));
      return false;
    }
  }

  /** Choices where another user saved meanwhile. */
  function waysOut({ message, status, code }, does) {
    if (code === draftChanged) return [loadTheirs(), " ", saveOver(message, does)];
    if (status !== 409) return [];
    const href = `${page.dataset.base}/${page.dataset.sid}/versions`;
    const versions = el("a", { href, target: "_blank" }, "Look at the versions");
    return [versions, ...does === "publish" ? [" ", publishOver(message)] : []];
  }

  /** A button that opens the flow of the other user, and discards the one of this page. */
  function loadTheirs() {
    const onclick = () => {
      if (isChanged() && !confirm("Load their draft? Your unsaved changes are lost.")) return;
      saved = stateOf();
      location.assign(`${page.dataset.base}/${page.dataset.sid}`);
    };
    return el("button", { type: "button", class: "link", onclick }, "Load their draft");
  }

  /** A button that saves over the draft of the other one, which is lost then. */
  function saveOver(message, does) {
    const [, revision] = /the current revision is (\d+)/.exec(message) ?? [];
    if (revision === undefined) return "";
    const onclick = () => {
      form.elements.FlowDraftRevision.value = revision;
      save(does);
    };
    const words = does === "draft" ? "Save over it" : `${titleOf(does)} all the same`;
    return el("button", { type: "button", class: "link", onclick }, words);
  }

  /** A button that publishes over the version in force, which stays among the versions. */
  function publishOver(message) {
    const [, version] = /the current version is (\d+)/.exec(message) ?? [];
    if (version === undefined) return "";
    const onclick = () => {
      form.elements.FlowVersion.value = version;
      save("publish");
    };
    return el(
      "button",
      { type: "button", class: "link", onclick },
      `Publish over version ${version}`,
    );
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const does = event.submitter?.value ?? "draft";
    if (does === "discard" && !confirm("Discard the draft? The published flow stays.")) return;
    save(does);
  });
  form.addEventListener("input", draw);
  addEventListener("beforeunload", (event) => {
    if (isChanged()) event.preventDefault();
  });

  part("call")?.addEventListener("submit", async (event) => {
    event.preventDefault();
    const told = part("called");
    const call = new FormData(event.target);
    if (isChanged() && !await save("draft")) return;
    const isDraft = !part("draft").hidden;
    const version = part("saved")?.textContent;
    if (version === undefined) {
      told.textContent = "Publish the flow first: a call performs the published one.";
      return;
    }
    try {
      const { to } = await send(`/${page.dataset.sid}/call`, call);
      told.replaceChildren(
        isDraft
          ? `The call is placed, with ${version}; the draft is not published. `
          : "The call is placed. ",
        el("a", { href: to }, "See what becomes of it"),
      );
    } catch ({ message }) {
      told.textContent = `${message}.`;
    }
  });
  return { draw };
}
