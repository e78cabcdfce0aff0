/** Shows the buttons that copy a text, and says at the button when it was copied. */
export function offerCopies(node) {
  if (!navigator.clipboard) return;
  for (const button of node.querySelectorAll("[data-copy]")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(button.dataset.copy);
      button.textContent = "Copied";
    });
  }
}
