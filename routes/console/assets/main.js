import { keepRunning, showTimes } from "./times.js";
import { follow } from "./live.js";
import { showLevels } from "./levels.js";
import { drawWaves } from "./wave.js";
import { askFirst } from "./confirm.js";
import { offerCopies } from "./copy.js";
import { tellFirst } from "./tell.js";

const show = (part) => {
  showTimes(part);
  showLevels(part);
};

show(document);
tellFirst(document);
askFirst(document);
offerCopies(document);
drawWaves(document);
follow(document, show);
keepRunning(document);
