package dev.tollgate.server.settings.value;

import java.util.Optional;
import java.util.regex.Pattern;

/** Where the store is: a private PostgreSQL of ours, or one that is reached through JDBC. */
public sealed interface StoreUrl {
  /** A credential in the address would be printed with it. */
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

  /** A PostgreSQL that this process starts under {@code store.data_dir}. */
  record Embedded() implements StoreUrl {
    @Override
    public String toString() {
      return "embedded";
    }
  }

  /** A {@code jdbc:postgresql://} address. */
  record Jdbc(String url) implements StoreUrl {
    @Override
    public String toString() {
      return url;
    }
  }
}
