/** Asks before a form is sent that says so. */
export function askFirst(node) {
  node.addEventListener("submit", (event) => {
    const question = event.target.dataset.confirm;
    if (question && !confirm(question)) event.preventDefault();
  });
}
