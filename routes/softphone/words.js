/** Texts of the page. */

/** The reason of a refused call, by SIP status. */
export function refusal(status, name) {
  switch (status) {
    case 404:
    case 604:
      return `There is no ${name} here`;
    case 480:
      return `${name} cannot be reached now`;
    case 486:
    case 600:
      return `${name} is busy`;
    case 603:
      return `${name} declined`;
    case 408:
    case 487:
      return `${name} did not answer`;
    case 401:
    case 403:
    case 407:
      return `You may not call ${name}`;
    case 484:
      return "That number is not complete";
    case 488:
      return `${name} has no kind of audio that this browser knows`;
    default:
      return status >= 500 ? "Switchboard could not place the call" : `${name} was not reached`;
  }
}

/**
 * The reason of a refusal by the service itself, which its Warning names with the code of an error;
 * undefined where there is none, or where the SIP status says as much.
 */
export function explained(warning, name) {
  const all = warning ?? "";
  const quoted = all.slice(all.indexOf('"') + 1, all.lastIndexOf('"')).slice(0, 600)
    .replaceAll(/\\(.)/g, "$1");
  const [, code, words] = /^(\d{5}): (.*)$/s.exec(quoted) ?? [];
  if (code === undefined) return undefined;
  if (code === "13224") {
    const text = /no Gateway/.test(words)
      ? "No trunk for this number"
      : /has no VoiceUrl/.test(words)
      ? "This number has no application"
      : /neither Flow nor RcmlUrl/.test(words)
      ? "The application of this login has no markup"
      : /is disabled/.test(words)
      ? `${name} is turned off`
      : undefined;
    return text === undefined ? undefined : { text, code };
  }
  if (code === "11210") {
    return { text: "The application of this number does not answer (11210)", code };
  }
  if (/^1[12]\d{3}$/.test(code)) {
    return { text: `The application of this number gives no usable answer (${code})`, code };
  }
  return { text: `${words} (${code})`, code };
}

/** The reason of a missing microphone. */
export function microphoneProblem(error) {
  if (!globalThis.isSecureContext) {
    return "No microphone: browsers give it only to pages that came over https or from this computer";
  }
  switch (error?.name) {
    case "NotAllowedError":
    case "SecurityError":
      return "No microphone: allow it in the browser's address bar";
    case "NotFoundError":
    case "OverconstrainedError":
      return "No microphone: connect one";
    case "NotReadableError":
    case "AbortError":
      return "No microphone: another program is using it";
    default:
      return "No microphone: this browser gives none";
  }
}

/** A length of time like 1:05 or 1:00:05. */
export function duration(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  const two = (n) => String(n).padStart(2, "0");
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

/** A number in the notation of the North American plan; other numbers and names unchanged. */
export function shownAs(user) {
  const [, area, exchange, line] = /^\+1(\d{3})(\d{3})(\d{4})$/.exec(user) ?? [];
  return area ? `+1 ${area} ${exchange} ${line}` : user;
}
