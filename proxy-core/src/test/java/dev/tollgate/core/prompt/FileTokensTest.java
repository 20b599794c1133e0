package dev.tollgate.core.prompt;

import static java.nio.charset.StandardCharsets.UTF_16LE;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Base64;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A file of text is as many tokens as its text, however a body holds it. */
class FileTokensTest {
  private static final String WORDS =
      "the quick brown fox jumps over the lazy dog and runs away from here ";
  private static final int WORDS_COUNT = 14;

  private static long likely(String json) {
    byte[] body = ("\"" + json + "\"").getBytes(UTF_8);
    return FileTokens.likely(body, 1, body.length - 1);
  }

  private static String base64(byte[] bytes) {
    return Base64.getEncoder().encodeToString(bytes);
  }

  private static String text(int bytes) {
    return WORDS.repeat(bytes / WORDS.length());
  }

  private static long wordsOf(int bytes) {
    return (long) bytes / WORDS.length() * WORDS_COUNT;
  }

  @ParameterizedTest
  @CsvSource({
    "30000, 'data:text/plain;base64,'",
    "900000, 'data:text/plain;base64,'",
    "900000, 'DATA:application/octet-stream;name=a;BASE64,'",
    "900000, ''"
  })
  void textInBase64IsCountedAsText(int bytes, String head) {
    assertThat(likely(head + base64(text(bytes).getBytes(UTF_8))))
        .isBetween(wordsOf(bytes) * 6 / 10, wordsOf(bytes) * 3 / 2);
  }

  @Test
  void numbersAreDenserThanWords() {
    Random random = new Random(7);
    String numbers =
        IntStream.range(0, 150_000)
            .mapToObj(_ -> Integer.toString(random.nextInt(10)))
            .collect(Collectors.joining(" "));
    assertThat(likely("data:text/csv;base64," + base64(numbers.getBytes(UTF_8))))
        .isBetween(90_000L, 300_000L);
  }

  /** A client cannot make text look like something else. */
  @ParameterizedTest
  @ValueSource(ints = {30_000, 900_000})
  void textIsSeenInOtherForms(int bytes) {
    String text = text(bytes);
    long least = wordsOf(bytes) * 6 / 10;
    String plain = base64(text.getBytes(UTF_8));
    assertThat(likely(plain.replace("a", "\\u0061"))).isGreaterThan(least);
    assertThat(likely(plain.replaceAll("(.{1000}).", "$1\\\\u0041"))).isGreaterThan(least);
    assertThat(likely(plain.replaceAll("(.{76})", "$1\\\\r\\\\n"))).isGreaterThan(least);
    assertThat(likely(base64(text.replace("dog", "d\0\u0001g").getBytes(UTF_8))))
        .isGreaterThan(least);
    assertThat(likely(base64(text.getBytes(UTF_16LE)))).isGreaterThan(least);
    assertThat(likely("data:text/plain," + text)).isGreaterThan(least);
  }

  @Test
  void otherFilesCountByTheirSize() {
    byte[] compressed = new byte[900_000];
    new Random(9).nextBytes(compressed);
    assertThat(likely("data:application/pdf;base64," + base64(compressed)))
        .isBetween(24_900L, 25_100L);
    assertThat(likely("A".repeat(960_000))).isEqualTo(20_000);
    String pdf = base64(("%PDF-1.4 " + text(900_000)).getBytes(UTF_8));
    assertThat(likely("data:application/pdf;base64," + pdf)).isEqualTo(pdf.length() / 48);
    assertThat(likely("data:text/plain;base64," + pdf)).isGreaterThan(100_000);
    assertThat(likely("")).isEqualTo(1_500);
    assertThat(likely("AAAA")).isEqualTo(1_500);
    assertThat(likely("data:,")).isEqualTo(1_500);
  }
}
