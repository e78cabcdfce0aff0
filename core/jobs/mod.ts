import type { AnyJobHandler } from "../model/ports/job_handler.ts";
import { announceHandler } from "../conferences/announce.ts";
import { answerMessageHandler } from "./answer_message.ts";
import { checkTriggerHandler } from "../usage/check_trigger.ts";
import { clearReferencesHandler } from "./clear_references.ts";
import { closeAccountHandler } from "./close_account.ts";
import { countMinuteHandler } from "../account_limits/count_minute.ts";
import { countUsesHandler } from "../account_limits/count_uses.ts";
import { endPaidCallsHandler } from "../account_limits/end_paid_calls.ts";
import { warnOfLimitHandler } from "../account_limits/warn_of_limit.ts";
import { deliverWebhookHandler } from "./deliver_webhook.ts";
import { dialCallHandler } from "./dial_call.ts";
import { endCallsHandler } from "./end_calls.ts";
import { endConferenceHandler } from "./end_conference.ts";
import { eraseRecordsHandler } from "../usage/erase_records.ts";
import { expireMessageHandler } from "./expire_message.ts";
import { forgetAccountHandler } from "./forget_account.ts";
import { forgetClientsHandler } from "./forget_clients.ts";
import { goOnFlowHandler } from "./go_on_flow.ts";
import { hangUpHandler } from "./hang_up.ts";
import { joinPartsHandler } from "./join_parts.ts";
import { limitCallHandler } from "../calls/limit_call.ts";
import { locateHandler } from "./locate.ts";
import { packTextsHandler } from "./pack_texts.ts";
import { pushUssdHandler } from "./push_ussd.ts";
import { redirectCallHandler } from "./redirect_call.ts";
import { lapseMessageHandler, releaseMessageHandler } from "../messages/schedule.ts";
import { removeAudioHandler } from "./remove_audio.ts";
import { replayFailedHandler } from "../webhooks/replay_failed.ts";
import { sendEmailHandler } from "./send_email.ts";
import { sendMessageHandler } from "./send_message.ts";
import { settleRecordingHandler } from "./settle_recording.ts";
import { simulateLegHandler } from "../trials/simulation/simulate_leg.ts";
import { storeAudioHandler } from "./store_audio.ts";
import { notifyGatewaysHandler } from "./notify_gateways.ts";
import { notifyProviderHandler } from "./notify_provider.ts";
import { notifySenderHandler } from "./notify_sender.ts";
import { unheardStreamHandler } from "../streams/stream_events.ts";
import { transcribeRecordingHandler } from "./transcribe_recording.ts";

/** Every kind of job that the service runs. */
export const handlers: AnyJobHandler[] = [
  announceHandler,
  answerMessageHandler,
  checkTriggerHandler,
  clearReferencesHandler,
  closeAccountHandler,
  countMinuteHandler,
  countUsesHandler,
  deliverWebhookHandler,
  dialCallHandler,
  endCallsHandler,
  endConferenceHandler,
  endPaidCallsHandler,
  eraseRecordsHandler,
  expireMessageHandler,
  forgetAccountHandler,
  forgetClientsHandler,
  goOnFlowHandler,
  hangUpHandler,
  joinPartsHandler,
  lapseMessageHandler,
  limitCallHandler,
  locateHandler,
  packTextsHandler,
  pushUssdHandler,
  redirectCallHandler,
  releaseMessageHandler,
  removeAudioHandler,
  replayFailedHandler,
  sendEmailHandler,
  sendMessageHandler,
  settleRecordingHandler,
  simulateLegHandler,
  storeAudioHandler,
  notifyGatewaysHandler,
  notifyProviderHandler,
  notifySenderHandler,
  transcribeRecordingHandler,
  unheardStreamHandler,
  warnOfLimitHandler,
];
