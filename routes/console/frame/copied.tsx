/** A text to take along: a button beside it copies it, where scripts run. */
export const Copied = ({ text, what, look }: {
  text: string;
  /** Name of the value, for the label of the button. */
  what: string;
  look?: "key";
}) => (
  <span class="copied">
    <code class={look}>{text}</code>
    <button type="button" class="quiet" data-copy={text} aria-label={`Copy ${what}`} hidden>
      Copy
    </button>
  </span>
);
