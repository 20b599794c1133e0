package dev.tollgate.server.mail;

import java.util.Arrays;
import java.util.Locale;

/** Occasion of a mail. */
public enum MailKind {
  INVITATION,
  VERIFY_EMAIL,
  ACCOUNT_EXISTS,
  RESET_PASSWORD,
  CHANGE_EMAIL,
  EMAIL_CHANGED,
  PASSWORD_CHANGED,
  SIGN_INS_FAILED,
  ACCOUNT_CHANGED,
  WEBHOOK_SECRET_ROTATED,
  SPENDING_ALERT,
  /** Of a later version, whose node put it into the outbox. */
  OTHER;

  /** Returns the name in the store and in names of files, such as {@code verify-email}. */
  public String wire() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  static MailKind of(String stored) {
    return Arrays.stream(values())
        .filter(kind -> kind.wire().equals(stored))
        .findFirst()
        .orElse(OTHER);
  }
}
