package dev.tollgate.server.control;

import java.util.Locale;

/** Caller of the authorization matrix: a column of it. */
enum MatrixCaller {
  ANONYMOUS,
  VIEWER,
  DEVELOPER,
  BILLING,
  ADMIN,
  OWNER,
  OTHER_OWNER,
  OPERATOR,
  DISABLED,
  SUSPENDED_OWNER,
  TOKEN_ADMIN,
  TOKEN_OPERATOR;

  String column() {
    return name().toLowerCase(Locale.ROOT);
  }

  boolean isToken() {
    return this == TOKEN_ADMIN || this == TOKEN_OPERATOR;
  }

  /** True if the caller is a person with a session. */
  boolean isPerson() {
    return this != ANONYMOUS && !isToken();
  }

  /** Returns the person whose rights the caller would have without what refuses it especially. */
  MatrixCaller unrestricted() {
    return switch (this) {
      case TOKEN_ADMIN -> ADMIN;
      case TOKEN_OPERATOR -> OPERATOR;
      case SUSPENDED_OWNER, DISABLED -> OWNER;
      case ANONYMOUS, VIEWER, DEVELOPER, BILLING, ADMIN, OWNER, OTHER_OWNER, OPERATOR -> this;
    };
  }
}
