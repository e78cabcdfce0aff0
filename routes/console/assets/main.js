import { showTimes } from "./times.js";
import { follow } from "./live.js";
import { askFirst } from "./confirm.js";

showTimes(document);
askFirst(document);
follow(document, showTimes);
