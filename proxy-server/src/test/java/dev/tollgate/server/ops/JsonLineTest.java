package dev.tollgate.server.ops;

import static dev.tollgate.server.ops.JsonLine.name;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class JsonLineTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long SEED = Long.getLong("tollgate.seed", 20_261_120);
  private static final long MILLIS_9999 = Instant.parse("9999-12-31T23:59:59.999Z").toEpochMilli();

  @Test
  void timesMatchTheCalendar() throws Exception {
    var random = new Random(SEED);
    for (int i = 0; i < 20_000; i++) {
      long millis = i == 0 ? 0 : random.nextLong(MILLIS_9999 + 1);
      assertThat(written(line -> line.instant(name("t"), millis)).get("t").asText())
          .as("seed %d", SEED)
          .isEqualTo(isoWithMillis(millis));
    }
    assertThat(written(line -> line.instant(name("t"), MILLIS_9999)).get("t").asText())
        .isEqualTo("9999-12-31T23:59:59.999Z");
  }

  @Test
  void anyTextIsReadBackAsItWasAndIsPlainAsciiInTheLine() throws Exception {
    var random = new Random(SEED);
    for (int i = 0; i < 5_000; i++) {
      String text = text(random);
      byte[] line = bytes(to -> to.text(name("x"), text));
      assertThat(JSON.readTree(line).get("x").asText()).as("seed %d", SEED).isEqualTo(text);
      for (byte each : line) {
        assertThat(each).isBetween((byte) 0x20, (byte) 0x7e);
      }
    }
  }

  @Test
  void numbersAreExact() throws Exception {
    var random = new Random(SEED);
    for (int i = 0; i < 5_000; i++) {
      long number = random.nextLong() >> random.nextInt(64);
      assertThat(written(line -> line.number(name("n"), number)).get("n").asLong())
          .isEqualTo(number);
      assertThat(bytes(line -> line.millis(name("n"), number)))
          .asString()
          .isEqualTo("{\"n\":%s}", BigDecimal.valueOf(number / 1_000, 3).toPlainString());
    }
    assertThat(bytes(line -> line.number(name("n"), Long.MIN_VALUE)))
        .asString()
        .isEqualTo("{\"n\":-9223372036854775808}");
  }

  @Test
  void aLoneSurrogateIsReplaced() throws Exception {
    for (String half : List.of("\ud83d", "\ude00", "\ude00\ud83d")) {
      for (String rest : List.of("b", "\u00e9")) {
        String text = written(line -> line.text(name("x"), half + rest)).get("x").asText();
        assertThat(text).isEqualTo("?".repeat(half.length()) + rest);
      }
    }
  }

  @Test
  void aLongLineGrows() throws Exception {
    String text = "a".repeat(100_000) + "\u00e9".repeat(10_000);
    assertThat(written(line -> line.text(name("x"), text)).get("x").asText()).isEqualTo(text);
  }

  private static JsonNode written(Writing writing) throws Exception {
    return JSON.readTree(bytes(writing));
  }

  private static byte[] bytes(Writing writing) {
    JsonLine line = new JsonLine();
    line.begin('{');
    writing.write(line);
    line.end('}');
    return line.bytes();
  }

  private interface Writing {
    void write(JsonLine line);
  }

  private static String isoWithMillis(long millis) {
    String whole = Instant.ofEpochMilli(millis / 1_000 * 1_000).toString();
    return whole.replace("Z", ".%03dZ".formatted(millis % 1_000));
  }

  private static String text(Random random) {
    int length = random.nextInt(40);
    var text = new StringBuilder();
    for (int i = 0; i < length; i++) {
      int kind = random.nextInt(4);
      int bound = kind == 0 ? 0x20 : kind == 1 ? 0x7f : kind == 2 ? 0xd800 : 0x10000;
      text.append(
          kind == 3
              ? Character.toString(0x10000 + random.nextInt(bound))
              : character(random, bound));
    }
    return new String(text.toString().getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
  }

  private static String character(Random random, int bound) {
    return Character.toString(random.nextInt(bound));
  }
}
