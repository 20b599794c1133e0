package dev.tollgate.core.json;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.Seeds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A reply with vectors is read like any other, although their numbers are not validated. */
class VectorsTest {
  /** A list that begins with a number, as the scanner skips it. */
  private static final Pattern NUMBERS =
      Pattern.compile("\\[[ \\n\\r\\t]*[-0-9]([[^\\x40-\\x7f\\xc0-\\xff\"]eE]*[0-9])?\\]");

  private static final byte[] DAMAGE = "{}[]\":,\\u0e+-.tfn \n/".getBytes(UTF_8);
  private static final String REFUSED = "refused";

  @Test
  void whatIsStrictIsReadAlike() {
    Seeds.forEach(
        random -> {
          for (String text : List.of(RandomJson.document(random), reply(random))) {
            byte[] document = text.getBytes(UTF_8);
            assertThat(besideVectors(document)).as(text).isEqualTo(strictly(document));
          }
        });
  }

  @Test
  void ofWhatIsDamagedNothingButNumbersIsAccepted() {
    Seeds.forEach(
        random -> {
          byte[] reply = reply(random).getBytes(UTF_8);
          for (int i = 0; i < 50; i++) {
            byte[] damaged = reply.clone();
            damaged[random.nextInt(damaged.length)] = DAMAGE[random.nextInt(DAMAGE.length)];
            String strict = strictly(damaged);
            String taken = besideVectors(damaged);
            if (!strict.equals(taken)) {
              String text = new String(damaged, ISO_8859_1);
              assertThat(strict).as(text).isEqualTo(REFUSED);
              byte[] mended = NUMBERS.matcher(text).replaceAll("[1]").getBytes(ISO_8859_1);
              assertThat(strictly(mended)).as(text).isNotEqualTo(REFUSED);
            }
          }
        });
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"1,", "1, ", "NaN", "1,NaN", "1,-Infinity", "1,,null", "1,\"", "1,.e", "-"})
  void whatWritersOfNumbersGetWrongIsRefused(String numbers) {
    for (String front : List.of("", "0.125,", "0.125,0.25,1e-05,")) {
      byte[] document = ("{\"a\":[" + front + numbers + "]}").getBytes(UTF_8);
      assertThat(besideVectors(document)).as(front + numbers).isEqualTo(REFUSED);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"1,,2", "1, ,2", "1,\n  ,2", "1 2", "1\n2", "1e1,,2", "1,,2e-05", "1,,0.2,-3,4"})
  void anExtraOrMissingCommaIsFoundAtEveryPosition(String numbers) {
    for (int n = 0; n < 40; n++) {
      String list = "1".repeat(n + 1) + "," + numbers;
      for (String behind : List.of("", ",1", ",-0.125,0.25,0.5")) {
        byte[] document = ("{\"a\":[" + list + behind + "]}").getBytes(UTF_8);
        assertThat(strictly(document)).isEqualTo(REFUSED);
        assertThat(besideVectors(document)).as(list + behind).isEqualTo(REFUSED);
      }
    }
  }

  @Test
  void everyBeginningOfAReplyIsRefused() {
    byte[] reply = reply(new Random(7)).getBytes(UTF_8);
    for (int length = 0; length < reply.length; length++) {
      assertThat(besideVectors(Arrays.copyOf(reply, length))).isEqualTo(REFUSED);
    }
  }

  @Test
  void listsEndWhereTheyEndAtEachDistanceFromABlock() {
    for (int digits = 1; digits < 40; digits++) {
      for (String number : List.of("1".repeat(digits), "-0." + "3".repeat(digits) + "e-05")) {
        for (String list : List.of("[%s]", "[ %s ]", "[%s,2]", "[%s,\"]\"]", "[%s,[1],{}]")) {
          byte[] document =
              ("{\"a\":" + list.formatted(number) + ",\"model\":\"m\"}").getBytes(UTF_8);
          assertThat(besideVectors(document)).isEqualTo(strictly(document)).isNotEqualTo(REFUSED);
        }
      }
    }
  }

  private static String reply(Random random) {
    String vectors =
        IntStream.range(0, 1 + random.nextInt(4))
            .mapToObj(
                i ->
                    "{\"object\":\"embedding\",\"index\":" + i + ",\"embedding\":" + vector(random))
            .map(vector -> vector + "}")
            .collect(Collectors.joining(random.nextBoolean() ? "," : ",\n  "));
    return "{\"object\":\"list\",\"data\":["
        + vectors
        + "],\"model\":\"m[1]\",\"usage\":{\"prompt_tokens\":[3,4]}}";
  }

  private static String vector(Random random) {
    return random
        .doubles(random.nextInt(40), -1, 1)
        .mapToObj(number -> random.nextBoolean() ? "" + number * 1e-4 : rounded(number))
        .collect(Collectors.joining(random.nextBoolean() ? "," : " , ", "[", "]"));
  }

  private static String rounded(double number) {
    return String.format(Locale.ROOT, "%.3f", number);
  }

  private interface Reading {
    void of(JsonMembers into, byte[] bytes) throws InvalidJson;
  }

  private static String strictly(byte[] bytes) {
    return read(bytes, (into, from) -> into.read(from, 0, from.length));
  }

  private static String besideVectors(byte[] bytes) {
    return read(bytes, (into, from) -> into.readSkippingNumberLists(from, 0, from.length));
  }

  /** Returns the offsets of all members and values, and their depth. */
  private static String read(byte[] bytes, Reading reading) {
    JsonMembers members = new JsonMembers();
    try {
      reading.of(members, bytes);
    } catch (InvalidJson e) {
      return REFUSED;
    }
    List<List<Integer>> all = new ArrayList<>();
    for (int i = 0; i < members.size(); i++) {
      all.add(
          List.of(
              members.nameStart(i),
              members.nameEnd(i),
              members.valueStart(i),
              members.valueEnd(i),
              members.depth(i)));
    }
    return all.toString();
  }
}
