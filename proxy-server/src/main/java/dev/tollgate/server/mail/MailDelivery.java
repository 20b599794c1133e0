package dev.tollgate.server.mail;

import java.io.IOException;
import java.time.Instant;

/** Port through which mails leave the gateway. */
interface MailDelivery {
  /**
   * Delivers a mail. Blocks.
   *
   * @param writtenAt time at which the mail was written
   */
  void deliver(MailMessage message, Instant writtenAt) throws IOException;
}
