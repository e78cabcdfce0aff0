import { UserAgent } from "sip.js";

/**
 * How an agent registers as one device (RFC 3261 §10.2, RFC 5626). The library's Registerer asks
 * nothing new until it has an answer, which a dead connection keeps from it for half a minute.
 */
export function createRegistration(agent) {
  const { userAgentCore: core, configuration, instanceId } = agent;
  const aor = configuration.uri;
  const registrar = UserAgent.makeURI(`sip:${aor.host}`);
  const contact = agent.contact.toString({ register: true });
  const device = `${contact};reg-id=1;+sip.instance="<urn:uuid:${instanceId}>"`;
  const callId = crypto.randomUUID();
  let cseq = 0;
  let giveUp = () => {};

  /** Asks for so many seconds, 0 to end it: the answer, or undefined when none comes in time. */
  function register(expiresS, timeoutMs) {
    const headers = [`Contact: ${device};expires=${expiresS}`];
    const ids = { callId, cseq: ++cseq };
    const request = core.makeOutgoingRequestMessage("REGISTER", registrar, aor, aor, ids, headers);
    return new Promise((resolve) => {
      const end = (message) => {
        clearTimeout(timer);
        giveUp = () => {};
        cseq = Math.max(cseq, request.cseq); // One more with credentials.
        resolve(message);
      };
      const answered = ({ message }) => end(message);
      const asked = core.register(request, { onAccept: answered, onReject: answered });
      giveUp = () => {
        asked.dispose();
        end();
      };
      const timer = setTimeout(giveUp, timeoutMs);
    });
  }

  /** For how many seconds an answer has us registered. */
  function granted(message, expiresS) {
    const ours = message.getHeaders("Contact").find((each) => each.includes(contact));
    return Number(/;\s*expires=(\d+)/i.exec(ours ?? "")?.[1] ?? expiresS);
  }

  /** No answer comes any more: its connection is gone. */
  return { register, granted, giveUp: () => giveUp() };
}
