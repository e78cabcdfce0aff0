/** Injected into a page before its own scripts: functions for tests that the page itself lacks. */
(() => {
  const kept = [];
  const Native = globalThis.RTCPeerConnection;
  globalThis.RTCPeerConnection = class extends Native {
    constructor(...configuration) {
      super(...configuration);
      kept.push(this);
    }
    /** Hides the direct candidates of the page while its audio is relayed. */
    get localDescription() {
      const description = super.localDescription;
      if (!globalThis.relayedPort || !description) return description;
      return { ...description.toJSON(), sdp: description.sdp.replace(/^a=candidate:.*\r\n/gm, "") };
    }
    async setRemoteDescription(description) {
      return await super.setRemoteDescription(
        globalThis.relayedPort ? await relayed(description) : description,
      );
    }
  };
  async function relayed({ type, sdp }) {
    const lines = sdp.split("\r\n").map(async (line) => {
      const [, start, address, port, rest] =
        /^(a=candidate:\S+ \d+ udp \d+ )(\S+) (\d+)(.*)$/i.exec(line) ?? [];
      if (!start) return line;
      return `${start}${address} ${await globalThis.relayedPort(address, Number(port))}${rest}`;
    });
    return { type, sdp: (await Promise.all(lines)).join("\r\n") };
  }
  /** The energy of all audio that the page received. */
  globalThis.heard = async () => {
    let energy = 0;
    for (const peer of kept) {
      for (const { type, totalAudioEnergy } of (await peer.getStats()).values()) {
        if (type === "inbound-rtp") energy += totalAudioEnergy ?? 0;
      }
    }
    return energy;
  };

  /** The way that the audio of the last call takes: the candidates of both ends. */
  globalThis.audioWay = async () => {
    const stats = await kept.at(-1).getStats();
    const { selectedCandidatePairId } = [...stats.values()].find(({ type }) =>
      type === "transport"
    );
    const { localCandidateId, remoteCandidateId } = stats.get(selectedCandidatePairId);
    const [local, remote] = [localCandidateId, remoteCandidateId].map((id) => stats.get(id));
    return {
      local: local.candidateType,
      relayProtocol: local.relayProtocol,
      remoteAddress: remote.address,
    };
  };

  /**
   * Response of a TURN server to the browser: 200 for an allocation, else the error code of STUN.
   */
  globalThis.turnAnswer = async (iceServer) => {
    const peer = new Native({ iceServers: [iceServer], iceTransportPolicy: "relay" });
    const answered = new Promise((resolve) => {
      peer.onicecandidate = ({ candidate }) => candidate?.candidate && resolve(200);
      // 701 is of no answer, as from a network that does not lead there.
      peer.onicecandidateerror = ({ errorCode }) => errorCode < 700 && resolve(errorCode);
    });
    peer.addTransceiver("audio");
    await peer.setLocalDescription();
    const answer = await answered;
    peer.close();
    return answer;
  };

  const sockets = [];
  let registrations = 0;
  /** Number of successful registrations of the page. */
  globalThis.registrations = () => registrations;
  const NativeSocket = globalThis.WebSocket;
  globalThis.WebSocket = class extends NativeSocket {
    constructor(...address) {
      super(...address);
      sockets.push(this);
    }
    addEventListener(type, listener) {
      super.addEventListener(type, (event) => {
        if (this.isDead) return;
        listener(event);
        if (/^SIP\/2\.0 200 [^]*\nCSeq: *\d+ REGISTER\r/i.test(event.data)) registrations++;
      });
    }
    send(data) {
      if (!this.isDead) super.send(data);
    }
    close(...why) {
      if (!this.isDead) super.close(...why);
    }
  };
  /** Closes the connection without a word, as when the network changes. */
  globalThis.dropSocket = () => sockets.at(-1).close();
  /** From now on the connection loses everything both ways, without notice to either side. */
  globalThis.deadenSocket = () => sockets.at(-1).isDead = true;

  /** The names that ICE had for us and for the peer in the last call (RFC 8445 §9). */
  globalThis.iceNames = () =>
    [kept.at(-1).localDescription, kept.at(-1).remoteDescription]
      .map(({ sdp }) => /^a=ice-ufrag:(\S+)/m.exec(sdp)[1]);

  let tones = 0;
  const NativeOscillator = globalThis.OscillatorNode;
  globalThis.OscillatorNode = class extends NativeOscillator {
    constructor(...options) {
      super(...options);
      tones++;
    }
  };
  /** Number of tones that the page has played by itself. */
  globalThis.tones = () => tones;

  globalThis.forbidMicrophone = () => {
    navigator.mediaDevices.getUserMedia = () =>
      Promise.reject(new DOMException("no", "NotAllowedError"));
  };

  /** The name, or else the id, of what has the focus. */
  globalThis.focused = () => {
    const { ariaLabel, textContent, id } = document.activeElement;
    return ariaLabel || textContent.trim() || id;
  };

  const all = (selector) =>
    [...document.querySelectorAll(selector)].filter((element) => element.checkVisibility());
  const nameOf = (element) =>
    element.ariaLabel || element.getAttribute("aria-labelledby") || element.textContent.trim() ||
    element.labels?.[0]?.textContent.trim();
  const start = ({ outerHTML }) => outerHTML.slice(0, 80);

  /** WCAG 2.2, relative luminance of a colour as `getComputedStyle` writes it. */
  function luminance(color) {
    const [r, g, b] = color.match(/[\d.]+/g).map((text) => {
      const part = color.startsWith("color(") ? Number(text) : Number(text) / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  }

  function ground(element) {
    const { backgroundColor } = getComputedStyle(element);
    const isClear = backgroundColor.endsWith(", 0)");
    return isClear && element.parentElement ? ground(element.parentElement) : backgroundColor;
  }

  function isFaint(element) {
    if (!element.textContent.trim() || element.closest(".hidden, :disabled")) return false;
    const lights = [luminance(getComputedStyle(element).color), luminance(ground(element))];
    return (Math.max(...lights) + 0.05) / (Math.min(...lights) + 0.05) < 4.5;
  }

  /**
   * Controls and texts without a name, with the name of another, or too small, unreachable or low
   * in contrast.
   */
  globalThis.flaws = () => {
    const ids = [...document.querySelectorAll("[id]")].map(({ id }) => id);
    const { scrollWidth, clientWidth, lang } = document.documentElement;
    return {
      unnamed: all("button, input, section, article, [role=meter], [role=group]")
        .filter((element) => !nameOf(element)).map(start),
      twice: ids.filter((id, at) => ids.indexOf(id) !== at),
      small: all("button").filter((each) => each.getBoundingClientRect().height < 24).map(start),
      wide: scrollWidth > clientWidth,
      faint: all("h1, h2, p, b, small, label, button, span").filter(isFaint).map(start),
      isTitled: all("h1").length > 0 && lang === "en" && document.title !== "",
    };
  };

  /** Makes one flaw of each kind. */
  globalThis.spoil = () => {
    const button = document.createElement("button");
    const wide = document.createElement("div");
    button.id = "login";
    button.style.minHeight = button.style.height = "10px";
    wide.style.width = "3000px";
    wide.style.height = "1px";
    document.querySelector("#dial h1").style.color = "#555";
    document.body.append(button, wide);
    document.title = "";
  };
})();
