package dev.tollgate.server.account;

import org.jspecify.annotations.Nullable;

/**
 * A principal and where its call came from, as the audit log needs it.
 *
 * @param ip client address; null for the command line
 * @param userAgent what the client says of itself, shortened; null for the command line
 * @param requestId null for the command line
 */
public record Caller(
    Principal principal,
    @Nullable String ip,
    @Nullable String userAgent,
    @Nullable String requestId) {
  private static final int USER_AGENT_CHARS_MAX = 200;

  public Caller {
    if (userAgent != null) {
      userAgent = userAgent.substring(0, Math.min(userAgent.length(), USER_AGENT_CHARS_MAX));
    }
  }

  /** Returns the caller of a command, with the name of the operating system's user. */
  public static Caller cli() {
    return new Caller(
        new Principal.Cli(System.getProperty("user.name", "unknown")), null, null, null);
  }

  /** True if the caller has an operator's rights over organizations. */
  public boolean isOperator() {
    return switch (principal) {
      case Principal.Anonymous _ -> false;
      case Principal.Person person -> person.isOperator();
      case Principal.Token token -> token.isOfPlatform();
      case Principal.Cli _ -> true;
    };
  }

  /** Returns who calls, as {@link Principal#reference} does. */
  public String reference() {
    return principal.reference();
  }

  /**
   * Requires an operator's rights.
   *
   * @throws Refused 401 without credentials, 403 if the caller does not have them
   */
  public void requireOperator() {
    if (principal instanceof Principal.Anonymous) {
      throw Refused.unauthenticated();
    }
    if (!isOperator()) {
      throw Refused.forbidden();
    }
  }

  /**
   * Requires an operator who is a person, or the command line.
   *
   * @throws Refused 401 without credentials, 403 if the caller is none
   */
  public void requireOperatorInPerson() {
    requireOperator();
    if (principal instanceof Principal.Token) {
      throw Refused.forbidden(RefusalReason.NOT_A_PERSON);
    }
  }

  /**
   * Returns the signed-in person.
   *
   * @throws Refused if the caller is none
   */
  public Principal.Person person() {
    return switch (principal) {
      case Principal.Person person -> person;
      case Principal.Anonymous _ -> throw Refused.unauthenticated();
      case Principal.Token _, Principal.Cli _ ->
          throw Refused.forbidden(RefusalReason.NOT_A_PERSON);
    };
  }
}
