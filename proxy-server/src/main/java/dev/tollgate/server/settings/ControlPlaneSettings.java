package dev.tollgate.server.settings;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.server.settings.binding.Key;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Configuration section {@code control_plane}: user accounts, mail, browser sessions, and bounds of
 * the calls.
 */
public record ControlPlaneSettings(
    @Key(about = "whether an account needs an invitation", initial = "invite") Signup signup,
    @Key(about = "outgoing mail") Email email,
    @Key(about = "browser sessions") Session session,
    @Key(about = "limit of database connections", initial = "6", min = "2", max = "100") int pool,
    @Key(
            about = "limit of calls that are carried out at once; 128 more wait, else 503",
            initial = "64",
            min = "1",
            max = "1000")
        int requestsMax,
    @Key(about = "rate limits of each person or control token, on each node") Rate rate,
    @Key(about = "folder with the files of the dashboard, for development; null: the built-in ones")
        @Nullable Path dashboardDir) {

  /** Rule for creating user accounts: by invitation or by anyone. */
  public enum Signup {
    INVITE,
    OPEN
  }

  /** Section {@code control_plane.email}: outgoing mail. */
  public record Email(
      @Key(about = "smtp://user:password@host:port, kept secret; null: letters become files")
          @Nullable Secret smtp,
      @Key(about = "address of the sender") @Nullable String from,
      @Key(about = "folder for letters without smtp; null: mail in store.data_dir")
          @Nullable Path directory) {}

  /** Section {@code control_plane.session}: lifetimes of browser sessions. */
  public record Session(
      @Key(about = "time without use after which a session ends", initial = "12h", min = "1m")
          Duration idle,
      @Key(about = "longest lifetime of a session", initial = "7d", min = "1m")
          Duration absolute) {}

  /** Section {@code control_plane.rate}: rate limits. */
  public record Rate(
      @Key(about = "calls in a second", initial = "20", min = "1", max = "100000") int perSecond,
      @Key(about = "calls in a minute", initial = "600", min = "1", max = "1000000")
          int perMinute) {}
}
