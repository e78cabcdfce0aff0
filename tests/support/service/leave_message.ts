import { openVoice, type Voice } from "../media/voice.ts";
import { eventually } from "../process/eventually.ts";
import type { System } from "../process/system.ts";
import { isSound, portOf } from "../sip/plain_peer.ts";
import type { Softphone } from "../sip/softphone.ts";
import type { PhoneDialog } from "../sip/softphone_dialog.ts";

/** Calls the menu of a tutorial, presses 2 and speaks; resolves when a recording is under way. */
export async function leaveMessage(
  system: System,
  phone: Softphone,
  menu: string,
): Promise<{ voice: Voice; dialog: PhoneDialog }> {
  const voice = await openVoice();
  const dialog = await phone.call(menu, { sdp: voice.sdp }).answered;
  voice.speakTo(portOf(dialog.remoteSdp));
  await eventually("the menu is heard", () => voice.heard.some(isSound));
  voice.press("2");
  voice.say(600);
  await eventually("the message is recorded", async () => {
    const { recordings } = await system.get("Recordings.json");
    return recordings.length > 0;
  });
  return { voice, dialog };
}
