package dev.tollgate.core.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonCharsTest {
  private static JsonElements one(String json) throws InvalidJson {
    byte[] bytes = ("[ " + json + " ]").getBytes(UTF_8);
    return JsonElements.of(bytes, 0, bytes.length);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"\"",
        "\"plain\"",
        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
        "\"\\u0041\\u00e9z\\u0000\"",
        "\"a\u00e9\u20acb\\ud83d\\ude00c\ud83d\ude00\""
      })
  void theyAreThoseOfTheText(String json) throws InvalidJson {
    JsonElements items = one(json);
    StringBuilder read = new StringBuilder();
    JsonChars chars = items.chars(0);
    for (int c = chars.next(); c != JsonChars.END; c = chars.next()) {
      read.append((char) c);
    }
    assertThat(read.toString()).isEqualTo(items.chars(0).take(1_000));
    assertThat(ascii(read.toString())).isEqualTo(ascii(items.string(0)));
    assertThat(read.chars()).allMatch(c -> c <= JsonChars.OTHER);
    assertThat(chars.next()).isEqualTo(JsonChars.END);
  }

  private static String ascii(String text) {
    return text.chars()
        .filter(c -> c < JsonChars.OTHER)
        .mapToObj(Character::toString)
        .collect(Collectors.joining());
  }

  @Test
  void someAreTakenAndTheRestIsLeft() throws InvalidJson {
    JsonChars chars = one("\"a\\n\\u0062c\"").chars(0);
    assertThat(chars.take(2)).isEqualTo("a\n");
    assertThat(chars.take(0)).isEmpty();
    assertThat(chars.take(9)).isEqualTo("bc");
    assertThat(chars.take(9)).isEmpty();
  }
}
