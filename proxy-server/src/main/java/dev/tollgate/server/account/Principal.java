package dev.tollgate.server.account;

import dev.tollgate.core.id.OrgId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Authenticated identity of a call to the control plane. */
public sealed interface Principal {
  /** Returns the identity as rows state it: a kind, a colon and an id. */
  default String reference() {
    return switch (this) {
      case Anonymous _ -> "system:";
      case Person person -> "user:" + person.id();
      case Token token -> "token:" + token.id();
      case Cli cli -> "cli:" + cli.osUser();
    };
  }

  /** Caller without credentials. */
  record Anonymous() implements Principal {}

  /**
   * Person who is signed in.
   *
   * @param isOperator true if the person has rights over all organizations
   * @param provenAt time of the last proof of identity in this session
   */
  record Person(
      UserId id, String email, String name, boolean isOperator, SessionId session, Instant provenAt)
      implements Principal {

    /** Returns the person in another session, which continues this one. */
    public Person in(SessionId other) {
      return new Person(id, email, name, isOperator, other, provenAt);
    }
  }

  /**
   * Control token of automation.
   *
   * @param org null: a token of the platform, with an operator's rights but those for people only
   * @param role null for a token of the platform
   */
  record Token(String id, String name, @Nullable OrgId org, @Nullable Role role)
      implements Principal {
    public boolean isOfPlatform() {
      return org == null;
    }
  }

  /** Command line: a process that can read the configuration and reach the store. */
  record Cli(String osUser) implements Principal {}
}
