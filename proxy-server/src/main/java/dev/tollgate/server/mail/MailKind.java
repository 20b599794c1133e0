package dev.tollgate.server.mail;

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
  SPENDING_ALERT;

  /** Returns the name in the store and in names of files, such as {@code verify-email}. */
  public String wire() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  static MailKind of(String stored) {
    return valueOf(stored.toUpperCase(Locale.ROOT).replace('-', '_'));
  }
}
