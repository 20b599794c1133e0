package dev.tollgate.server.settings.value;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Proxy of a provider: the one of all providers, or one of its own.
 *
 * @param own null: the proxy of all
 */
public record ProxyChoice(@Nullable ProxyUrl own) {
  private static final String INHERIT = "inherit";

  public static Optional<ProxyChoice> parse(String text) {
    return text.equals(INHERIT)
        ? Optional.of(new ProxyChoice(null))
        : ProxyUrl.parse(text).map(ProxyChoice::new);
  }

  @Override
  public String toString() {
    return own == null ? INHERIT : own.toString();
  }
}
