package dev.tollgate.server.settings.value;

import java.util.Optional;

/**
 * Origin of a web page as browsers send it: scheme, host, and the port unless it is the default.
 */
public record Origin(String text) {

  /** Returns the origin, in the form that browsers send; empty for a URL with a path. */
  public static Optional<Origin> parse(String text) {
    return HttpUrl.parse(text)
        .filter(url -> !text.endsWith("/") && url.path().isEmpty())
        .map(url -> new Origin(url.toString()));
  }

  @Override
  public String toString() {
    return text;
  }
}
