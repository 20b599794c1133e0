package dev.tollgate.core.prompt;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The kinds of a text's bytes tell a text of words from one that tokenizers cut finely. */
class TextDensityTest {
  private static final String PROSE =
      "The quick brown fox jumps over the lazy dog, and not one in the village was surprised when"
          + " it came back the following morning with a considerably better understanding. ";

  /** Texts, and whether they are far from four bytes a token. */
  enum Text {
    PROSE_IN_ENGLISH(TextDensityTest.PROSE.repeat(20), false),
    A_SHORT_MESSAGE("[{\"role\":\"user\",\"content\":\"Hi.\"}]", false),
    ONE_LONG_WORD("x".repeat(5_000), false),
    CYRILLIC("\u041f\u0440\u0438\u0432\u0435\u0442, \u043c\u0438\u0440! ".repeat(100), false),
    HAN("\u4f60\u597d\uff0c\u4e16\u754c\u3002".repeat(100), false),
    CODE("if (count == 0) {\n  return items.get(index);\n}\n".repeat(50), false),
    DIGITS(digits(4_000, " "), true),
    DIGITS_WITH_COMMAS(digits(4_000, ","), true),
    HEXADECIMAL(hexadecimal(8_000), true),
    EMOJI("\ud83d\ude00\ud83d\ude80".repeat(500), false),
    ESCAPED_LETTERS("\\u043f".repeat(500), false);

    private final String text;
    private final boolean far;

    Text(String text, boolean far) {
      this.text = text;
      this.far = far;
    }
  }

  private static String digits(int count, String between) {
    Random random = new Random(7);
    return IntStream.range(0, count)
        .mapToObj(_ -> Integer.toString(random.nextInt(10)))
        .collect(Collectors.joining(between));
  }

  private static String hexadecimal(int count) {
    Random random = new Random(8);
    return IntStream.range(0, count)
        .mapToObj(_ -> Integer.toHexString(random.nextInt(16)))
        .collect(Collectors.joining());
  }

  @ParameterizedTest
  @EnumSource
  void denseTextIsFarFromWords(Text text) {
    byte[] bytes = text.text.getBytes(UTF_8);
    TextRatio ratio = TextDensity.of(bytes, 0, bytes.length);
    assertThat(TextRatio.USUAL.isFarFrom(ratio)).as(ratio.toString()).isEqualTo(text.far);
  }

  /** A long body is sampled all over, and what stands around the text is not read. */
  @ParameterizedTest
  @EnumSource
  void aSampleOfALongTextTellsTheSame(Text text) {
    byte[] around = digits(10, " ").getBytes(UTF_8);
    int times = Math.ceilDiv(200_000, text.text.length());
    byte[] bytes = text.text.repeat(times).getBytes(UTF_8);
    byte[] body = new byte[around.length + bytes.length];
    System.arraycopy(around, 0, body, 0, around.length);
    System.arraycopy(bytes, 0, body, around.length, bytes.length);
    TextRatio ratio = TextDensity.of(body, around.length, body.length);
    assertThat(TextRatio.USUAL.isFarFrom(ratio)).as(ratio.toString()).isEqualTo(text.far);
  }
}
