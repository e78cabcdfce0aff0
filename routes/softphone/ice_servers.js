/** The longest gathering, for servers that do not respond, as where UDP is blocked. */
const GATHERING_MS = 2_000;

/**
 * Sets the ICE servers of an agent's next calls from the response to its REGISTER, if it has some.
 */
export function useIceServers({ configuration }, answer) {
  const text = answer.getHeader("X-Ice-Servers");
  if (!text) return;
  Object.assign(configuration.sessionDescriptionHandlerFactoryOptions, {
    iceGatheringTimeout: GATHERING_MS,
    peerConnectionConfiguration: { iceServers: JSON.parse(atob(text)) },
  });
}
