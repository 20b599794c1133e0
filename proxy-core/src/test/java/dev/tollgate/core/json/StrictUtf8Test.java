package dev.tollgate.core.json;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.Seeds;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** RFC 3629 to the byte, compared with the strict decoder of the platform. */
class StrictUtf8Test {
  private static final Charset UTF_8 = StandardCharsets.UTF_8;
  private static final int[] EDGES = {
    0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc2, 0xff
  };

  @Test
  void everyCodePointIsValidAndEverySurrogateIsNot() {
    for (int c = 0; c <= Character.MAX_CODE_POINT; c++) {
      boolean surrogate = c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE;
      byte[] encoded = surrogate ? threeBytes(c) : Character.toString(c).getBytes(UTF_8);
      if (StrictUtf8.isValid(encoded, 0, encoded.length) == surrogate) {
        assertThat(c).as("code point").isNegative();
      }
    }
  }

  @Test
  void everyLeadWithEverySecondByteIsDecidedAsThePlatformDoes() {
    for (int lead = 0x80; lead <= 0xff; lead++) {
      for (int second = 0; second <= 0xff; second++) {
        assertDecided(lead, second);
        for (int third : EDGES) {
          assertDecided(lead, second, third);
          assertDecided(lead, second, third, 0xbf);
          assertDecided(lead, second, third, 0x20);
        }
      }
    }
  }

  @Test
  void aFaultIsFoundAtEveryPlaceAmongAscii() {
    for (int length = 1; length <= 40; length++) {
      for (int at = 0; at < length; at++) {
        byte[] bytes = "x".repeat(length).getBytes(UTF_8);
        assertThat(StrictUtf8.isValid(bytes, 0, length)).isTrue();
        bytes[at] = (byte) 0xc3;
        assertThat(StrictUtf8.indexOfInvalid(bytes, 0, length)).isEqualTo(at);
        assertThat(StrictUtf8.isValid(bytes, 0, at)).isTrue();
        assertThat(StrictUtf8.isValid(bytes, at + 1, length)).isTrue();
      }
    }
  }

  @Test
  void aFaultIsFoundAtEveryPlaceOfBlocksAndBehindThem() {
    byte[] bytes = "x".repeat(1_100).getBytes(UTF_8);
    for (int at = 0; at < bytes.length; at++) {
      bytes[at] = (byte) 0xc3;
      assertThat(StrictUtf8.indexOfInvalid(bytes, 0, bytes.length)).isEqualTo(at);
      assertThat(StrictUtf8.isValid(bytes, at + 1, bytes.length)).isTrue();
      bytes[at] = 'x';
    }
    byte[] accented = ("x".repeat(511) + "é" + "x".repeat(600)).getBytes(UTF_8);
    for (int from = 0; from <= 511; from++) {
      assertThat(StrictUtf8.isValid(accented, from, accented.length)).isTrue();
    }
  }

  @Test
  void randomTextWithOneByteChangedIsDecidedAsThePlatformDoes() {
    Seeds.forEach(
        random -> {
          byte[] bytes = RandomJson.text(random, random.nextBoolean() ? 40 : 900).getBytes(UTF_8);
          if (bytes.length > 0) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
          }
          assertThat(StrictUtf8.isValid(bytes, 0, bytes.length)).isEqualTo(platformAccepts(bytes));
        });
  }

  @Test
  void aSequenceCutByTheEndOfTheRangeIsNotValid() {
    byte[] clef = "\uD834\uDD1E".getBytes(UTF_8);
    for (int to = 1; to < clef.length; to++) {
      assertThat(StrictUtf8.isValid(clef, 0, to)).isFalse();
    }
    assertThat(StrictUtf8.isValid(clef, 0, 0)).isTrue();
  }

  private static void assertDecided(int... values) {
    byte[] bytes = new byte[values.length];
    for (int i = 0; i < values.length; i++) {
      bytes[i] = (byte) values[i];
    }
    if (StrictUtf8.isValid(bytes, 0, bytes.length) != platformAccepts(bytes)) {
      assertThat(bytes).as("decided otherwise than the platform does").isEmpty();
    }
  }

  private static boolean platformAccepts(byte[] bytes) {
    CharBuffer chars = CharBuffer.allocate(bytes.length);
    return !UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes), chars, true).isError();
  }

  private static byte[] threeBytes(int c) {
    return new byte[] {
      (byte) (0xe0 | (c >> 12)), (byte) (0x80 | ((c >> 6) & 0x3f)), (byte) (0x80 | (c & 0x3f))
    };
  }
}
