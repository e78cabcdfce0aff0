import { keySound } from "./sounds.js";

const letters = ["", "abc", "def", "ghi", "jkl", "mno", "pqrs", "tuv", "wxyz", "", "+", ""];
const SHOWN_MS = 160;

/**
 * Fills an element with the keys of a telephone. Returns a function that presses a key.
 */
export function makeKeypad(element, onKey) {
  const buttons = new Map([..."123456789*0#"].map((key, at) => {
    const button = document.createElement("button");
    const [digit, small] = [document.createElement("b"), document.createElement("small")];
    digit.textContent = key;
    small.textContent = letters[at];
    small.ariaHidden = "true";
    button.type = "button";
    button.dataset.key = key;
    button.ariaLabel = { "*": "Star", "#": "Hash" }[key] ?? key;
    button.append(digit, small);
    button.addEventListener("click", () => press(key));
    return [key, button];
  }));
  element.replaceChildren(...buttons.values());

  function press(key) {
    const button = buttons.get(key);
    if (button === undefined) return false;
    button.classList.add("pressed");
    setTimeout(() => button.classList.remove("pressed"), SHOWN_MS);
    keySound(key);
    onKey(key);
    return true;
  }
  return press;
}
