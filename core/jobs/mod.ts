import type { AnyJobHandler } from "../job.ts";
import { answerMessage } from "./answer_message.ts";
import { clearReferences } from "./clear_references.ts";
import { closeAccount } from "./close_account.ts";
import { deliverWebhook } from "./deliver_webhook.ts";
import { dialCall } from "./dial_call.ts";
import { endCalls } from "./end_calls.ts";
import { endRoom } from "./end_room.ts";
import { expireMessage } from "./expire_message.ts";
import { forgetAccount } from "./forget_account.ts";
import { forgetClients } from "./forget_clients.ts";
import { goOnFlow } from "./go_on_flow.ts";
import { hangUp } from "./hang_up.ts";
import { joinParts } from "./join_parts.ts";
import { locate } from "./locate.ts";
import { packTexts } from "./pack_texts.ts";
import { pushUssd } from "./push_ussd.ts";
import { redirectCall } from "./redirect_call.ts";
import { removeAudio } from "./remove_audio.ts";
import { sendEmail } from "./send_email.ts";
import { sendMessage } from "./send_message.ts";
import { settleRecording } from "./settle_recording.ts";
import { storeAudio } from "./store_audio.ts";
import { tellGateways } from "./tell_gateways.ts";
import { tellProvider } from "./tell_provider.ts";
import { transcribeRecording } from "./transcribe_recording.ts";

/** Every kind of job that the service runs. */
export const handlers: AnyJobHandler[] = [
  answerMessage,
  clearReferences,
  closeAccount,
  deliverWebhook,
  dialCall,
  endCalls,
  endRoom,
  expireMessage,
  forgetAccount,
  forgetClients,
  goOnFlow,
  hangUp,
  joinParts,
  locate,
  packTexts,
  pushUssd,
  redirectCall,
  removeAudio,
  sendEmail,
  sendMessage,
  settleRecording,
  storeAudio,
  tellGateways,
  tellProvider,
  transcribeRecording,
];
