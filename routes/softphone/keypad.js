import { keySound } from "./sounds.js";

const letters = ["", "abc", "def", "ghi", "jkl", "mno", "pqrs", "tuv", "wxyz", "", "+", ""];
const names = { "*": "star", "#": "hash" };
const SHOWN_MS = 160;

/**
 * Fills an element with the keys of a telephone. Returns a function that presses a key.
 */
export function makeKeypad(element, onKey) {
  const buttons = new Map([..."123456789*0#"].map((key, at) => {
    const button = document.createElement("button");
    const digit = document.createElement("b");
    digit.textContent = key;
    button.type = "button";
    button.dataset.key = key;
    button.dataset.letters = letters[at]; // Shown by the style sheet: they are no part of the name.
    if (names[key] !== undefined) button.ariaLabel = `${key} ${names[key]}`;
    button.append(digit);
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
