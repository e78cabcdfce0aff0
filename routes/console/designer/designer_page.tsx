import type { Child } from "hono/jsx";
import { Choice } from "../frame/choice.tsx";
import { type CallEnds, CallMe } from "./call_me.tsx";

/*
 * The designer has no framework. Libraries of diagrams need a build step or a bundle of their own, or draw
 * on a `canvas`, which a screen reader does not read. Our modules have 20 kB compressed with styles. Cards
 * are elements with a button each, lines are an SVG that is hidden from screen readers; the list of steps
 * says the same in words. Forms are made of the JSON schemas that OpenAPI has; a field leads to a step
 * where its pattern is that of `start`, so a new step needs nothing here. Lines may cross cards. The layout
 * is by columns of distance from the first step, and a flow keeps its own `positions` after the first move.
 */

/** Content of the designer. */
export interface Edited {
  /** Null: it is not saved yet. */
  sid: string | null;
  name: string;
  kind: string;
  /** Flow to edit: the draft where there is one. */
  flow: string;
  /** FlowVersion that it was begun from. */
  version: string;
  /** FlowDraftRevision that it was begun from; empty before it is saved. */
  revision: string;
  isDraft: boolean;
  problem?: string;
}

const kinds = [["voice", "Calls"], ["sms", "Messages"], ["ussd", "USSD"]] as const;

/** A button of the designer, which only scripts show. */
const Tool = ({ id, label, children }: { id: string; label: string; children?: Child }) => (
  <button type="button" id={`designer-${id}`} aria-label={children ? label : undefined}>
    {children ?? label}
  </button>
);

/**
 * The designer. Without scripts it is a form with the JSON of the flow; scripts add canvas, list, forms
 * of steps and the dry run.
 */
export const Designer = ({ edited, base, csrf, ends }: {
  edited: Edited;
  /** The path of the pages of the designer. */
  base: string;
  csrf: string;
  /** Null while there is nothing to call. */
  ends: CallEnds | null;
}) => {
  const to = edited.sid === null ? base : `${base}/${edited.sid}`;
  return (
    <div id="designer" data-base={base} data-csrf={csrf} data-sid={edited.sid ?? undefined}>
      <DesignerStyle base={base} />
      <Bar edited={edited} to={to} csrf={csrf} />
      <Tools />
      <ul id="designer-problems" class="problems" aria-label="Problems"></ul>
      <p id="designer-status" class="hidden" role="status"></p>
      <div class="design">
        <div id="designer-outline" data-scripted hidden></div>
        <div id="designer-canvas" data-scripted hidden></div>
        <Panels to={to} csrf={csrf} edited={edited} ends={ends} />
      </div>
      <p id="canvas-help" class="hint" data-scripted hidden>
        Drag a step to move it, and a port to connect it. By keyboard: Tab to a step, arrows go from
        step to step, Shift and arrows move it, Enter opens its form, Delete removes it.
      </p>
    </div>
  );
};

/** The style sheet of the designer; `base` is the path of its pages. */
export const DesignerStyle = ({ base }: { base: string }) => (
  <link
    rel="stylesheet"
    href={`${base.replace(/\/AC[0-9a-f]+\/Flows$/, "")}/assets/designer/designer.css`}
  />
);

/** Name, kind and buttons that save the flow. */
const Bar = ({ edited: { sid, name, kind, version, revision, isDraft }, to, csrf }: {
  edited: Edited;
  to: string;
  csrf: string;
}) => (
  <form method="post" action={to} id="designer-form" class="design-bar">
    <input type="hidden" name="csrf" value={csrf} />
    <input type="hidden" name="FlowVersion" value={version} />
    <input type="hidden" name="FlowDraftRevision" value={revision} />
    <div class="design-name">
      <label for="designer-name">Name</label>
      <input id="designer-name" name="FriendlyName" value={name} required autocomplete="off" />
    </div>
    <div>
      <label for="designer-kind">For</label>
      <Choice id="designer-kind" name="Kind" value={kind} options={kinds} />
    </div>
    <div class="design-save">
      <button type="submit" name="do" value="draft">Save draft</button>
      <button type="submit" name="do" value="publish" class="main">Publish</button>
      {sid !== null && isDraft && (
        <button type="submit" name="do" value="discard" id="designer-discard" formnovalidate>
          Discard draft
        </button>
      )}
      {sid !== null && version !== "0" && (
        <a id="designer-saved" href={`${to}/versions`}>Version {version}</a>
      )}
      <span id="designer-draft" class="mark" hidden={!isDraft}>draft, not published</span>
      <span id="designer-unsaved" class="mark" data-scripted hidden>not saved</span>
    </div>
    <p class="hint design-hint">
      A draft is kept for later, and no call performs it. Publish has calls perform the flow.
    </p>
    <p id="designer-save-problem" class="field-problem" role="alert"></p>
  </form>
);

/** The two parties of a dry run. */
const Ends = ({ kind }: { kind: string }) => (
  <details>
    <summary>Caller and number</summary>
    <form id="designer-ends" class="stack">
      <label for="run-from">From</label>
      <input id="run-from" name="From" value="+12025550123" />
      <label for="run-to">To</label>
      <input id="run-to" name="To" value="+12025550145" />
      <label for="run-body">
        Text of the message{kind === "sms" ? "" : " (for messages only)"}
      </label>
      <input id="run-body" name="Body" value="Hello" />
    </form>
  </details>
);

/** The tools of the canvas. */
const Tools = () => (
  <div class="tools" data-scripted hidden>
    <div class="tool-group">
      <label for="designer-type" class="hidden">Type of a new step</label>
      <select id="designer-type"></select>
      <Tool id="add" label="Add step" />
    </div>
    <div class="tool-group">
      <Tool id="undo" label="Undo" />
      <Tool id="redo" label="Redo" />
      <Tool id="arrange" label="Arrange" />
    </div>
    <div class="tool-group">
      <Tool id="smaller" label="Zoom out">−</Tool>
      <Tool id="larger" label="Zoom in">+</Tool>
      <Tool id="fit" label="Fit" />
      <button type="button" id="designer-wide" aria-pressed="false">Wide canvas</button>
    </div>
    <p id="designer-verdict" class="verdict-line" role="status"></p>
  </div>
);

/** Panels beside the canvas: the form of a step, the dry run, the JSON. */
const Panels = ({ to, csrf, edited, ends }: {
  to: string;
  csrf: string;
  edited: Edited;
  ends: CallEnds | null;
}) => (
  <div class="side-panel">
    <div id="designer-tabs" class="tabs" role="group" aria-label="Panel" data-scripted hidden>
      <button type="button" value="step" aria-pressed="true">Step</button>
      <button type="button" value="run" aria-pressed="false">Try it</button>
      <button type="button" value="text" aria-pressed="false">JSON</button>
    </div>
    <div id="designer-panels">
      <section data-panel="step" id="designer-step" aria-label="Step"></section>
      <section data-panel="run" aria-label="Try it">
        <div data-scripted hidden>
          <Ends kind={edited.kind} />
        </div>
        <div id="designer-run"></div>
        {ends !== null && <CallMe to={`${to}/call`} csrf={csrf} ends={ends} />}
      </section>
      <section data-panel="text" aria-label="JSON">
        <label for="designer-flow">Flow as JSON</label>
        <p id="designer-text-problem" class="field-problem" role="status"></p>
        <textarea
          id="designer-flow"
          name="Flow"
          form="designer-form"
          rows={24}
          spellcheck={false}
        >
          {edited.flow}
        </textarea>
      </section>
    </div>
  </div>
);
