package dev.tollgate.core.catalog;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SecretTest {
  private static final String KEY = "sk-proj-4fQz8/mW2+kLs91TbXyPc07aRn5HdVeJ";

  static Stream<String> traces() {
    byte[] bearer = ("Bearer " + KEY).getBytes(UTF_8);
    return Stream.of(
        KEY,
        KEY.toUpperCase(Locale.ROOT),
        KEY.toLowerCase(Locale.ROOT),
        KEY.substring(0, 20),
        KEY.substring(KEY.length() - 8),
        KEY.substring(12, 24).toUpperCase(Locale.ROOT),
        KEY.substring(0, 18) + "****" + KEY.substring(28),
        KEY.replace("/", "%2F").replace("+", "%2B"),
        KEY.replace("/", "%2f").substring(8, 20),
        Base64.getEncoder().encodeToString(KEY.getBytes(UTF_8)),
        Base64.getUrlEncoder().withoutPadding().encodeToString(KEY.getBytes(UTF_8)),
        Base64.getEncoder().encodeToString(bearer),
        Base64.getEncoder().encodeToString(bearer).substring(5, 33));
  }

  @ParameterizedTest
  @MethodSource("traces")
  void noTraceOfACredentialIsLeft(String trace) {
    for (List<String> sent : List.of(List.of(KEY), List.of("x", "Bearer " + KEY))) {
      String redacted = Secret.redact("no key \"" + trace + "\", ask support.", sent);
      assertThat(redacted).startsWith("no key \"").endsWith("\", ask support.").contains("***");
      assertThat(redacted.replaceAll("no key \"|\", ask support.", "")).hasSizeLessThan(15);
    }
  }

  @Test
  void otherTextsStay() {
    List<String> sent =
        List.of(KEY, "2023-06-01", "https://example.com/app", "application/json", "short");
    for (String text :
        List.of(
            "",
            "Incorrect API key provided: sk-proj****VeJ. See https://example.com/keys.",
            "the version 2023-06-02 of application/xml is not supported",
            "Zm9yIHlvdXIgaW5mb3JtYXRpb24gb25seQ==",
            "größer als 4fQz8/m")) {
      assertThat(Secret.redact(text, sent)).isEqualTo(text);
    }
  }
}
