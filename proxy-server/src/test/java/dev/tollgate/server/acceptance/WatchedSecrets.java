package dev.tollgate.server.acceptance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Secrets that a test gave or was given, which must not appear elsewhere in any usual form. */
final class WatchedSecrets {
  private final Map<String, String> names = new LinkedHashMap<>();

  /** Adds a secret; returns it. */
  String watch(String name, String secret) {
    assertThat(secret).as(name).hasSizeGreaterThan(11);
    names.put(secret, name);
    return secret;
  }

  int count() {
    return names.size();
  }

  /** Requires that a text has none of them. */
  void requireNoneIn(String where, String text) {
    assertThat(in(text)).as("secrets in %s", where).isEmpty();
  }

  /** Returns the names of those that a text has. */
  List<String> in(String text) {
    return names.entrySet().stream()
        .filter(each -> forms(each.getKey()).stream().anyMatch(text::contains))
        .map(Map.Entry::getValue)
        .toList();
  }

  /** As text, and as the database shows bytes, also those that a link's text stands for. */
  private static List<String> forms(String secret) {
    byte[] bytes = secret.getBytes(UTF_8);
    HexFormat hex = HexFormat.of();
    String base64 = Base64.getEncoder().withoutPadding().encodeToString(bytes);
    return secret.matches("[A-Za-z0-9_-]{43}")
        ? List.of(
            secret,
            hex.formatHex(bytes),
            base64,
            hex.formatHex(Base64.getUrlDecoder().decode(secret)))
        : List.of(secret, hex.formatHex(bytes), base64);
  }
}
