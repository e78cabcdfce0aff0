import {
  type IncomingResponseMessage,
  type OutgoingRequestMessage,
  type SessionDialog,
  UserAgentClient,
  type UserAgentCore,
} from "sip.js/lib/core/index.js";
import type { ClientAuthentication } from "../../auth/client_authentication.ts";

/** Protected members of an outgoing request. */
interface OpenClient {
  readonly core: UserAgentCore;
  readonly message: OutgoingRequestMessage;
  credentials: ClientAuthentication | undefined;
  init(): void;
}

/** The library answers one challenge only, and forgets it for another (RFC 3261 §22.3). */
export function replaceAuthentication(): void {
  Object.assign(UserAgentClient.prototype, {
    /** True when a response is final; otherwise the request is sent once more. */
    authenticationGuard(
      this: OpenClient,
      response: IncomingResponseMessage,
      dialog?: SessionDialog,
    ): boolean {
      if (response.statusCode !== 401 && response.statusCode !== 407) return true;
      // The factory of our core makes a ClientAuthentication (`user_agent_core.ts`).
      this.credentials ??= this.core.configuration.authenticationFactory() as unknown as
        | ClientAuthentication
        | undefined;
      const { message, credentials } = this;
      if (!credentials?.answer(message, response)) return true;
      message.cseq++;
      if (dialog?.localSequenceNumber) {
        dialog.incrementLocalSequenceNumber();
        message.cseq = dialog.localSequenceNumber;
      }
      message.setHeader("cseq", `${message.cseq} ${message.method}`);
      this.init();
      return false;
    },
  });
}
