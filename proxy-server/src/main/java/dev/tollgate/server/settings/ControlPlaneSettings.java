package dev.tollgate.server.settings;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.server.settings.binding.Key;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Configuration section {@code control_plane}: user accounts, mail and browser sessions. It has no
 * effect in this version.
 */
public record ControlPlaneSettings(
    @Key(about = "whether an account needs an invitation", initial = "invite") Signup signup,
    @Key(about = "outgoing mail") Email email,
    @Key(about = "browser sessions") Session session) {

  /** Rule for creating user accounts: by invitation or by anyone. */
  public enum Signup {
    INVITE,
    OPEN
  }

  /** Section {@code control_plane.email}: outgoing mail. */
  public record Email(
      @Key(about = "smtp://user:password@host:port, kept secret; null: no mail")
          @Nullable Secret smtp,
      @Key(about = "address of the sender") @Nullable String from) {}

  /** Section {@code control_plane.session}: lifetimes of browser sessions. */
  public record Session(
      @Key(about = "time without use after which a session ends", initial = "12h", min = "1m")
          Duration idle,
      @Key(about = "longest lifetime of a session", initial = "7d", min = "1m")
          Duration absolute) {}
}
