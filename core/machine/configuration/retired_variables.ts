/** Variables of earlier versions, each with what replaces it. */
const retired: Record<string, string> = {
  RTPENGINE: "the companion does ICE, DTLS and SRTP of browsers' calls itself",
  RTPENGINE_RTP_HOST: "no rtpengine sends audio to the companion",
};

/** Returns a warning for each retired variable that an environment sets. */
export const retiredWarnings = (isSet: (name: string) => boolean): string[] =>
  Object.entries(retired).filter(([name]) => isSet(name)).map(([name, why]) =>
    `${name} is set, but this version does not read it: ${why}. Remove it from the environment.`
  );
