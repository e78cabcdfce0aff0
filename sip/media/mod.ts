/**
 * The face of the media engine: everything that the rest of the companion may import of it, besides
 * `sockets.ts`. `keepMedia()` starts the engine in a Worker; `base/port.ts` says what an engine
 * promises. The engine itself (`engine/`, `webrtc/`, `rtp/`) runs in that Worker and is not exported.
 */

export { createMachineDetector, type Detected } from "./audio/answering_machine.ts";
export { enterBeep, exitBeep, waitMusic } from "./audio/conference_sounds.ts";
export { levelOf, silentLevel } from "./audio/level.ts";
export { recordBeep } from "./audio/record_beep.ts";
export { ringingTone } from "./audio/ringing_tone.ts";
export { type FrameSink, trimSilence } from "./audio/trim_silence.ts";
export { createVoiceDetector, type VoiceDetector } from "./audio/voice.ts";
export { mediaLimits } from "./base/limits.ts";
export { copiedFrame } from "./base/new_frame.ts";
export {
  FRAME_SAMPLES,
  type LegOptions,
  type LoadAudio,
  type MediaConference,
  type MediaEngine,
  type MediaKind,
  type MediaLeg,
  type MediaParticipant,
  MediaShortage,
  type Mismatch,
  NoCommonCodec,
  type Pcm,
  type Received,
  type Secure,
  type WriteSamples,
} from "./base/port.ts";
export type { StreamEnd, StreamEvents, StreamSettings } from "./base/stream_port.ts";
export { FRAME_MS } from "./base/ticker.ts";
export { parseSdp } from "./sdp/parse_sdp.ts";
export { isUnspecified } from "./sdp/read_audio.ts";
export { httpRecogniser } from "./sources/http_recogniser.ts";
export { loadAudio } from "./sources/load_audio.ts";
export { forAccount, type Recognised, type Recogniser } from "./sources/recogniser.ts";
export { httpSpeaker, type Speaker, SpeechRefused, type Utterance } from "./sources/speaker.ts";
export type { MediaPlaces } from "./transports/transports.ts";
export { keepMedia } from "./worker/kept_media.ts";
