/** Bounds of backups; sizes in bytes. */
export const backupLimits = {
  /** Entries of the store in one frame. */
  entriesInFrame: 100,
  /** The longest frame: each entry of one has 64 KiB of value and 2 KiB of key at most. */
  frame: 8 << 20,
  /** Audio in one frame. */
  fileFrame: 256 << 10,
  /** Entries that are read from the store at once: more take longer each. */
  readAtOnce: 100,
  /** The same from KV Connect, where each read is a request. */
  remoteReadAtOnce: 500,
  /** After which the notice of a backup that was killed expires, and commits are not logged, in ms. */
  noticeMs: 600_000,
  /** Of one commit of a restore: KV takes 1,000 mutations, 80 KiB of keys and 800 KiB in total. */
  commitMutations: 500,
  commitKeyBytes: 72 << 10,
  commitBytes: 640 << 10,
} as const;
