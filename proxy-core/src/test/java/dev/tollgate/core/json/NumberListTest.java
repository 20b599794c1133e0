package dev.tollgate.core.json;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.Seeds;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** End of a list of numbers: blocks and single bytes agree. */
class NumberListTest {
  private static final String DAMAGE =
      "{}[]\":,,,  \n\u0000\t0eE+-.tZ\u007f\u0080\u00a2\u00ac\u00ff";

  @Test
  void itEndsWhereABytewiseScanEndsAtAnyLength() {
    Seeds.forEach(
        random -> {
          String list = list(random);
          assertThat(end(list)).as(list).isEqualTo(list.length() - 1).isEqualTo(walked(list));
        });
  }

  @Test
  void whatIsDamagedIsDecidedAlike() {
    Seeds.forEach(
        random -> {
          StringBuilder list = new StringBuilder(list(random));
          for (int i = 0; i < 40; i++) {
            int at = 1 + random.nextInt(list.length() - 1);
            char before = list.charAt(at);
            list.setCharAt(at, DAMAGE.charAt(random.nextInt(DAMAGE.length())));
            assertThat(end(list.toString())).as("%s", list).isEqualTo(walked(list.toString()));
            if (random.nextBoolean()) {
              list.setCharAt(at, before);
            }
          }
        });
  }

  @Test
  void oneStrangeByteIsSeenAtEachPlaceOfBlocksAndBehindThem() {
    String list = "-0.125,3e-05,".repeat(120) + "1]";
    for (int at = 1; at < list.length(); at++) {
      for (String strange : new String[] {"\"", "[", "x", "\u00ac", ",,"}) {
        String damaged = list.substring(0, at) + strange + list.substring(at);
        assertThat(end(damaged)).as("%s at %d", strange, at).isEqualTo(-1);
      }
    }
  }

  private static String list(Random random) {
    String between = random.nextBoolean() ? "," : random.nextBoolean() ? ",\n      " : " , ";
    return random
            .doubles(1 + random.nextInt(200), -1, 1)
            .mapToObj(n -> random.nextInt(8) == 0 ? "" + n * 1e-5 : "" + (float) n)
            .collect(Collectors.joining(between))
        + (random.nextBoolean() ? "]" : " \n]");
  }

  /** The list is inside an array, as its last element or not. */
  private static int end(String list) {
    int before = list.length() % 11;
    int behind = list.length() % 13;
    byte[] bytes = (",".repeat(before) + list + "]".repeat(behind)).getBytes(ISO_8859_1);
    int end = new NumberList(bytes, before + list.length()).endFrom(before);
    return end < 0 ? -1 : end - before;
  }

  private static int walked(String list) {
    int commas = 0;
    int numbers = 0;
    char before = ',';
    for (int at = 0; at < list.length(); at++) {
      char c = list.charAt(at);
      if (c == ']') {
        boolean endsInDigit = list.substring(0, at).matches("(?s).*[0-9][ \\n\\r\\t]*");
        return endsInDigit && numbers == commas + 1 ? at : -1;
      }
      boolean isLetter = c >= '@' && c != 'e' && c != 'E';
      if (isLetter || c == '"' || (c == ',' && before == ',')) {
        return -1;
      }
      commas += c == ',' ? 1 : 0;
      boolean isWritten = c > ' ' && c != ',';
      numbers += isWritten && (before == ',' || before <= ' ') ? 1 : 0;
      before = c;
    }
    return -1;
  }
}
