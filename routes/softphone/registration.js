import { UserAgent } from "sip.js";

/** The feature tag of user agents that read CPIM and IMDN (3GPP TS 24.247): pager mode messages. */
const knowsImdn = '+g.3gpp.icsi-ref="urn%3Aurn-7%3A3gpp-service.ims.icsi.oma.cpm.msg"';

/**
 * Registers an agent as one device (RFC 3261 §10.2, RFC 5626). The library's Registerer sends no
 * new request before the response to the last one, which a dead connection delays for half a
 * minute.
 */
export function createRegistration(agent) {
  const { userAgentCore: core, configuration, instanceId } = agent;
  const aor = configuration.uri;
  const registrar = UserAgent.makeURI(`sip:${aor.host}`);
  const contact = agent.contact.toString({ register: true });
  const device = `${contact};reg-id=1;+sip.instance="<urn:uuid:${instanceId}>";${knowsImdn}`;
  const callId = crypto.randomUUID();
  let cseq = 0;
  let giveUp = () => {};

  /**
   * Registers for `expiresS` seconds, 0 ends it. Returns the response, or undefined after the
   * timeout.
   */
  function register(expiresS, timeoutMs) {
    const headers = [`Contact: ${device};expires=${expiresS}`];
    const ids = { callId, cseq: ++cseq };
    const request = core.makeOutgoingRequestMessage("REGISTER", registrar, aor, aor, ids, headers);
    return new Promise((resolve) => {
      const end = (message) => {
        clearTimeout(timer);
        giveUp = () => {};
        cseq = Math.max(cseq, request.cseq); // The request with credentials has the next number.
        resolve(message);
      };
      const answered = ({ message }) => end(message);
      const sent = core.register(request, { onAccept: answered, onReject: answered });
      giveUp = () => {
        sent.dispose();
        end();
      };
      const timer = setTimeout(giveUp, timeoutMs);
    });
  }

  /** The seconds of registration that a response grants. */
  function granted(message, expiresS) {
    const ours = message.getHeaders("Contact").find((each) => each.includes(contact));
    return Number(/;\s*expires=(\d+)/i.exec(ours ?? "")?.[1] ?? expiresS);
  }

  /** `giveUp` ends a request without a response, as after the loss of its connection. */
  return { register, granted, giveUp: () => giveUp() };
}
