/** Bars of a drawing. */
const bars = 240;

/** The greatest amplitude of each part of a channel. */
function peaksOf(samples) {
  const length = Math.max(1, Math.floor(samples.length / bars));
  return Array.from({ length: bars }, (_, bar) => {
    let most = 0;
    for (let at = bar * length; at < Math.min(samples.length, (bar + 1) * length); at++) {
      most = Math.max(most, Math.abs(samples[at]));
    }
    return most;
  });
}

/** Reads the audio of a player. One channel after the other: each party of a call has its own. */
async function readPeaks(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  const context = new OfflineAudioContext(1, 1, 8000);
  const audio = await context.decodeAudioData(await response.arrayBuffer());
  return Array.from({ length: audio.numberOfChannels }, (_, n) => peaksOf(audio.getChannelData(n)));
}

/** Draws channels above each other, the played part in the colour of the accent. */
function draw(canvas, channels, played) {
  const style = getComputedStyle(canvas);
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  const scale = devicePixelRatio || 1;
  Object.assign(canvas, { width: width * scale, height: height * scale });
  const context = canvas.getContext("2d");
  context.scale(scale, scale);
  const [lane, step] = [height / channels.length, width / bars];
  channels.forEach((peaks, channel) =>
    peaks.forEach((peak, bar) => {
      const tall = Math.max(1, peak * (lane - 2));
      context.fillStyle = style.getPropertyValue(bar / bars < played ? "--accent" : "--edge");
      context.fillRect(bar * step, channel * lane + (lane - tall) / 2, Math.max(1, step - 1), tall);
    })
  );
}

/**
 * Draws the audio of a player once it is played; a click goes there. The player itself does all
 * that too.
 */
function drawWave(player) {
  const canvas = document.createElement("canvas");
  canvas.className = "wave";
  canvas.setAttribute("aria-hidden", "true");
  player.addEventListener("play", async () => {
    const channels = await readPeaks(player.currentSrc).catch(() => null);
    if (channels === null) return;
    player.after(canvas);
    const show = () => draw(canvas, channels, player.currentTime / player.duration || 0);
    show();
    player.addEventListener("timeupdate", show);
    addEventListener("resize", show);
    canvas.addEventListener("click", ({ offsetX }) => {
      player.currentTime = offsetX / canvas.clientWidth * player.duration;
    });
  }, { once: true });
}

/** Draws the audio of the players that ask for it. */
export function drawWaves(page) {
  for (const player of page.querySelectorAll("audio[data-wave]")) drawWave(player);
}
