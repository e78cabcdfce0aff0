/** Every bound of the media engine; milliseconds end in Ms. */
export const mediaLimits = {
  /** Lines of one session description, and candidates and fingerprints taken from it. */
  sdpLines: 2_000,
  /** Chunks of a WAV file up to its audio. */
  wavChunks: 1_000,
  /** Of a media line: so many payload types there are (RFC 3551 §6). */
  formats: 128,
  candidates: 32,
  fingerprints: 8,
  mediaSections: 16,
  /** Tries to find two ports side by side where the system chooses them. */
  portPairTries: 20,
  /** Time between look-ups of the name of our public address. */
  publicAddressMs: 60_000,
  /** A datagram as long as this is dropped: RTP fits into what networks take in one piece. */
  datagramBytes: 2_048,
  /**
   * How often sockets are polled together, how many of them one poll reports, and how many packets are
   * read from each at a time: 50,000 in a second.
   */
  pollMs: 2,
  /**
   * How often once nothing came or was sent for so many polls: a leg that rings would else take a
   * twentieth of a core. What comes first then waits for 5 ms on average.
   */
  idlePollMs: 10,
  idlePolls: 50,
  polledEvents: 256,
  polledRounds: 100,
  /** Packets that may wait to be sent together. */
  queuedPackets: 64,
  /** Packets of a leg that wait for the system; beyond them new ones are lost. */
  unsentPackets: 100,
  /** The same of a port that all WebRTC peers share: each tick sends one to each of them. */
  sharedUnsentPackets: 4_000,
  /**
   * Of a DTLS handshake: how long it may take once ICE is done; bytes of a message, and messages that
   * may come too early; bytes of a datagram that passes every network; when a flight is sent again, and
   * how far that doubles (RFC 6347 §4.2.4.1 allows less than 1 s where time matters); how long the peer
   * has to go on after something unauthenticated that would end the handshake.
   */
  dtlsMs: 30_000,
  /** Records of one datagram; the rest of it is lost. */
  dtlsRecords: 16,
  handshakeBytes: 16_384,
  handshakeMessages: 8,
  handshakeDatagramBytes: 1_200,
  handshakeRepeatMs: 250,
  handshakeRepeatMaxMs: 4_000,
  handshakeDoubtMs: 2_000,
  /** Time for which new legs show one certificate of ours. */
  certificateMs: 24 * 3_600_000,
  /** Sources of one peer whose SRTP is read; packets of others are dropped. */
  srtpSources: 256,
  /** Master keys that one crypto attribute may have. */
  srtpKeys: 16,
  /** Pairs of ICE with one peer, and the least time between two checks (RFC 8445 §14.2). */
  icePairs: 64,
  /**
   * Addresses that one peer was sent to, by which it is found on a shared port; then the oldest
   * goes.
   */
  peerPlaces: 256,
  /** Time for which the machine's own addresses are cached. */
  ownAddressesMs: 1_000,
  iceCheckMs: 50,
  /** Checks of a pair that does not answer, and the pauses between them: the first, and the longest. */
  iceChecks: 10,
  iceRetryMs: 500,
  iceRetryMaxMs: 2_000,
  /** After the first pair that works, how long better ones have to work, too. */
  iceSettleMs: 100,
  /** Longest time in which ICE finds a pair. */
  iceConnectMs: 30_000,
  /** Mean time between consent checks, and life of a consent (RFC 7675 §5.1). */
  iceAskMs: 5_000,
  iceConsentMs: 30_000,
  /** Time for which the former source goes on after signalling moved the address, to be sent to again. */
  latchMoveMs: 1_000,
  /** The longest pause in which it is still taken to go on. */
  latchPauseMs: 200,
  /** Sequence numbers that a source may be ahead, or late, and still go on (RFC 3550 §A.1). */
  maxDropout: 3_000,
  maxMisorder: 100,
  /** A jump of a source's clock beyond it begins a new stream, in samples: 10 s. */
  maxTimestampJump: 80_000,
  /**
   * RTP and RTCP packets of one peer in a second, and at once, that are looked at; usual are 50, with
   * packets of 5 ms 200. More are dropped, as a network would.
   */
  packetsPerS: 1_000,
  packetsBurst: 1_000,
  /** Mean time between RTCP reports (RFC 3550 §6.2), and how much it varies up and down. */
  reportMs: 5_000,
  reportJitterMs: 2_500,
  /**
   * A peer of plain RTP that is not on hold and sends nothing for so long is reported as quiet, and is
   * asked by SIP whether it is there.
   */
  peerQuietMs: 25_000,
  /** Time between checks of the media Worker, and missed ones after which it is given up. */
  workerCheckMs: 2_000,
  workerChecks: 5,
  /** Workers that may end within a time before the process does; tries to start one, and between two. */
  workerEnds: 3,
  workerEndsMs: 600_000,
  workerStarts: 10,
  workerStartMs: 1_000,
  /** A Worker that has hung for so long may never come back. */
  workerStuckMs: 60_000,
  /**
   * Workers that have the WebSockets of streams, and as many of those of conversations. How often each is
   * asked for a sign of life, without how many it is given up, and looks that it has to start: less than
   * `streamSilentMs`, which would blame the server. Workers that may hang until no further one starts.
   * For how long a tenant whose server hung one is a suspect, and how many it may hang within that.
   */
  socketWorkers: 2,
  socketCheckMs: 500,
  socketChecks: 5,
  socketStartChecks: 60,
  socketWorkersHanging: 3,
  socketSuspectMs: 3_600_000,
  socketHangs: 3,
  /**
   * How often such a Worker looks for texts to send, and what is said in so long crosses together; looks
   * after which it measures its sockets. Memory of each direction, and the longest text that goes by it.
   */
  socketBatchMs: 5,
  socketMeterLooks: 4,
  socketRingBytes: 1 << 20,
  socketRingText: 4_096,
  /** Moments of each 20 ms at which legs have their turns. */
  turns: 4,
  /** Frames sent in a row to catch up; beyond it the stream is late for good. */
  catchUpFrames: 10,
  /**
   * A digit that came by another way not longer ago is the same press: INFO follows the end of a key,
   * and is repeated after 0.5 s and 1.5 s (RFC 3261 §17.1.2.1). And the presses kept for that.
   */
  sameKeyMs: 2_000,
  keptPresses: 64,
  /**
   * Digits of signalling that wait to be sent to the leg joined with; beyond them new ones are
   * lost.
   */
  relayedDigits: 32,
  /** A pause in our own audio that begins a new talkspurt (RFC 3551 §4.1). */
  talkspurtGapMs: 200,
  /** Longest time of a file from the request to its last sample. */
  audioLoadMs: 15_000,
  /** The audio file and the decoded audio kept for the next caller. */
  audioFileBytes: 16 << 20,
  audioCacheBytes: 32 << 20,
  /** Of an MP3 file: bytes decoded before other work gets its turn, and samples at its own rate. */
  mp3Slice: 16 << 10,
  mp3Samples: 16 << 20,
  /** Longest times of synthesis and of recognition of a sentence, and bytes of cached speech. */
  speechMs: 20_000,
  recognitionMs: 20_000,
  speechCacheBytes: 16 << 20,
  recognitionAnswerBytes: 64 << 10,
  /** Utterances that are recognised at once. */
  recognitions: 20,
  /** Of a stream: how long its server may take to accept the WebSocket, and to say goodbye. */
  streamConnectMs: 5_000,
  streamCloseMs: 2_000,
  /** Characters of what is told of its end. */
  streamReasonLength: 300,
  /** Bytes of one message of its server: over a minute of audio. */
  streamMessageBytes: 1 << 20,
  /**
   * Frames and bytes of a server in a second, and at once; beyond it the server has to wait. Audio has 50
   * messages a second; a minute of it may come at once.
   */
  streamPace: {
    framesPerS: 200,
    burstFrames: 4_000,
    bytesPerS: 512 << 10,
    burstBytes: 4 << 20,
  },
  /** A server that has had to wait again and again for so long floods: its stream ends. */
  streamFloodMs: 30_000,
  /** Characters of a message that cannot be used, as the warning has them. */
  streamShownLength: 200,
  /** Marks that wait to be played. */
  streamMarks: 1_000,
  /** Time between pings of a server, and longest time of its answer: of both ways, and of a copy. */
  streamPingMs: 1_000,
  streamSilentMs: 3_500,
  streamCopySilentMs: 30_000,
  /** An answer that takes longer has the copy wait here, where its oldest frames can be left out. */
  streamSlowMs: 2_000,
  /** Bytes that wait for the system; beyond them messages wait here. */
  streamUnsentBytes: 32 << 10,
  /** Frames of each track that wait for a slow server: 10 s. */
  streamFrames: 500,
  /** Between two times at which it is told how many were left out. */
  streamLostMs: 1_000,
  /** Other messages that wait for it; beyond them the stream ends. */
  streamMessages: 1_000,
  sampleRateMin: 4_000,
  sampleRateMax: 192_000,
  /** Samples resampled before other work gets its turn: about 2 ms. */
  resampleSlice: 4_000,
} as const;
