/** Bounds of backups; sizes in bytes. */
export const backupLimits = {
  /** Entries of the store in one frame, as they are encoded. A single entry may be longer. */
  entriesFrame: 256 << 10,
  /** The longest frame: the longest entry, which KV bounds to 64 KiB of value and 2 KiB of key. */
  frame: 1 << 20,
  /** Audio in one frame. */
  fileFrame: 256 << 10,
  /** Entries that are read from the store at once. */
  readAtOnce: 500,
  /** After which the notice of a backup that was killed expires, and commits are not logged, in ms. */
  noticeMs: 600_000,
  /** Of one commit of a restore: KV takes 1,000 mutations, 80 KiB of keys and 800 KiB in total. */
  commitMutations: 500,
  commitKeyBytes: 72 << 10,
  commitBytes: 640 << 10,
} as const;
