/** Gathering waits no longer for servers that do not answer, as where UDP is blocked. */
const GATHERING_MS = 2_000;

/**
 * Has an agent's next calls use the ICE servers that came with the answer to its REGISTER, if any.
 */
export function useIceServers({ configuration }, answer) {
  const text = answer.getHeader("X-Ice-Servers");
  if (!text) return;
  Object.assign(configuration.sessionDescriptionHandlerFactoryOptions, {
    iceGatheringTimeout: GATHERING_MS,
    peerConnectionConfiguration: { iceServers: JSON.parse(atob(text)) },
  });
}
