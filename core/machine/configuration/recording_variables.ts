import { z } from "zod";
import { flag, httpUrl, same, type Variable } from "./variable.ts";

const text = z.string();

/** The variables that are about the audio of recordings. */
export const recordingVariables = {
  RECORDINGS_PUBLIC: {
    group: "recordings",
    sets: { recordingsPublic: same },
    schema: flag,
    fallback: "false",
    help: "true opens the audio of recordings to whoever knows its address.",
  },
  S3_BUCKET: {
    group: "recordings",
    schema: text.regex(/^[A-Za-z0-9.\-_]{0,255}$/, "must be the name of a bucket"),
    fallback: "",
    help: "Bucket of an S3-compatible storage where finished recordings are kept. " +
      "Empty: in DATA_DIR.",
  },
  S3_REGION: {
    group: "recordings",
    schema: text.min(1),
    fallback: "us-east-1",
    help: "Region of S3_BUCKET.",
  },
  S3_ENDPOINT: {
    group: "recordings",
    schema: httpUrl,
    fallback: ({ S3_REGION }) => `https://s3.${S3_REGION}.amazonaws.com`,
    help: "Where the storage answers, also customers. Default: https://s3.S3_REGION.amazonaws.com.",
  },
  S3_ACCESS_KEY: {
    group: "recordings",
    schema: text,
    fallback: "",
    help: "Access key of the storage.",
    secret: ["service"],
  },
  S3_SECRET_KEY: {
    group: "recordings",
    schema: text,
    fallback: "",
    help: "Secret key that goes with S3_ACCESS_KEY.",
    secret: ["service"],
  },
  S3_SECURITY_LEVEL: {
    group: "recordings",
    schema: z.enum(["SECURE", "NONE"], "must be SECURE or NONE"),
    fallback: "SECURE",
    help: "SECURE leads to the audio by links of five minutes; NONE shows S3Uri: the bucket must " +
      "let everybody read.",
  },
} satisfies Record<string, Variable>;
