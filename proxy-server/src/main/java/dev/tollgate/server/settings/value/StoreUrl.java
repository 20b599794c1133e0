package dev.tollgate.server.settings.value;

import java.util.Optional;
import java.util.regex.Pattern;

/** Location of the store: an embedded PostgreSQL, or a server reached through JDBC. */
public sealed interface StoreUrl {
  /** Matches credentials in a URL: they would be printed with it. */
  Pattern CREDENTIAL = Pattern.compile("(?i)[?&](user|password)=|//[^/]*@");

  static Optional<StoreUrl> parse(String text) {
    if (text.equals("embedded")) {
      return Optional.of(new Embedded());
    }
    boolean usable =
        text.startsWith("jdbc:postgresql://")
            && text.chars().allMatch(c -> c > ' ' && c < 0x7f)
            && !CREDENTIAL.matcher(text).find();
    return usable ? Optional.of(new Jdbc(text)) : Optional.empty();
  }

  /** PostgreSQL that this process starts under {@code store.data_dir}. */
  record Embedded() implements StoreUrl {
    @Override
    public String toString() {
      return "embedded";
    }
  }

  /** PostgreSQL server at a URL {@code jdbc:postgresql://…}. */
  record Jdbc(String url) implements StoreUrl {
    private static final Pattern ON_THIS_MACHINE =
        Pattern.compile("jdbc:postgresql://(localhost|127\\.[0-9.]+|\\[::1\\])(:[0-9]+)?(/.*)?");

    /**
     * True if no other machine can read or answer what is sent, or TLS with a checked name is on.
     */
    public boolean isVerified() {
      return ON_THIS_MACHINE.matcher(url).matches() || url.contains("sslmode=verify-full");
    }

    @Override
    public String toString() {
      return url;
    }
  }
}
