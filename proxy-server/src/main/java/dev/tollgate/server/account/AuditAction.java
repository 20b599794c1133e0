package dev.tollgate.server.account;

import java.util.Locale;

/** Kind of a change in the audit log. The list is closed. */
public enum AuditAction implements WireName {
  SETUP_COMPLETE,
  SESSION_SIGN_IN,
  SESSION_SIGN_IN_FAILED,
  SESSION_SIGN_OUT,
  SESSION_REVOKE,
  SESSION_REAUTHENTICATE,
  USER_CREATE,
  USER_VERIFY,
  USER_UPDATE,
  USER_PASSWORD,
  USER_PASSWORD_RESET,
  USER_EMAIL,
  USER_DISABLE,
  USER_ENABLE,
  USER_CLOSE,
  USER_OPERATOR,
  ORG_CREATE,
  ORG_UPDATE,
  ORG_SUSPEND,
  ORG_ACTIVATE,
  ORG_CLOSE,
  ORG_REOPEN,
  ORG_CAP,
  MEMBER_ROLE,
  MEMBER_REMOVE,
  MEMBER_LEAVE,
  MEMBER_JOIN,
  INVITATION_CREATE,
  INVITATION_RESEND,
  INVITATION_REVOKE,
  KEY_CREATE,
  KEY_UPDATE,
  KEY_ROTATE,
  KEY_DISABLE,
  KEY_ENABLE,
  KEY_REVOKE,
  CREDITS_BOOK,
  LIMIT_SPENDING,
  WEBHOOK_SECRET_REVEAL,
  WEBHOOK_SECRET_ROTATE;

  /** Returns the name on the wire: the object, a dot and the verb, such as {@code key.create}. */
  @Override
  public String wire() {
    String name = name().toLowerCase(Locale.ROOT);
    int object = name.indexOf('_');
    return name.substring(0, object) + "." + name.substring(object + 1);
  }
}
