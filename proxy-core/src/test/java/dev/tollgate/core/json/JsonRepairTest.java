package dev.tollgate.core.json;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is repaired in a document, and what is not. */
class JsonRepairTest {
  private final JsonMembers members = new JsonMembers();

  /** Reads bytes that are given as Latin-1. */
  private String repaired(String latin) throws InvalidJson {
    byte[] bytes = latin.getBytes(ISO_8859_1);
    members.readRepaired(bytes, 0, bytes.length);
    return new String(members.bytes(), members.objectStart(), length(), UTF_8);
  }

  private int length() {
    return members.objectEnd() - members.objectStart();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'a':NaN}|{'a':null}",
        "{'a':[-Infinity, Infinity,NaN ],'b':1}|{'a':[null, null,null ],'b':1}",
        "{'NaN':'-Infinity','b\\\\\\'':NaN}|{'NaN':'-Infinity','b\\\\\\'':null}"
      })
  void bareNumbersThatAreNotFiniteAreNull(String given, String expected) throws InvalidJson {
    assertThat(repaired(given.replace('\'', '"'))).isEqualTo(expected.replace('\'', '"'));
  }

  @Test
  void invalidBytesInStringsAreReplacedAsDecodersDo() throws InvalidJson {
    assertThat(repaired("{\"a\":\"x\u00ffy\"}")).isEqualTo("{\"a\":\"x\ufffdy\"}");
    assertThat(repaired("{\"a\u00e2\u0082\":1}")).isEqualTo("{\"a\ufffd\":1}");
    assertThat(repaired("{\"a\":\"\u00ff\u00f0\u009f\u0099\"}"))
        .isEqualTo("{\"a\":\"\ufffd\ufffd\"}");
    Random random = new Random(7);
    for (int n = 0; n < 2_000; n++) {
      byte[] text = new byte[random.nextInt(12)];
      for (int k = 0; k < text.length; k++) {
        int high = 0x80 + random.nextInt(128);
        boolean ascii = random.nextInt(3) == 0 || high == 0xed; // a surrogate is three for browsers
        text[k] = (byte) (ascii ? 'a' : high);
      }
      String given = "{\"a\":\"" + new String(text, ISO_8859_1) + "\"}";
      String decoded = "{\"a\":\"" + new String(text, UTF_8) + "\"}";
      assertThat(repaired(given)).as(Arrays.toString(text)).isEqualTo(decoded);
    }
  }

  @Test
  void aDocumentWithoutADefectIsNotCopied() throws InvalidJson {
    byte[] bytes = "{\"a\":\"NaN\"}".getBytes(UTF_8);
    assertThat(members.readRepaired(bytes, 0, bytes.length)).isEmpty();
    assertThat(members.bytes()).isSameAs(bytes);
    byte[] both = "{\"a\":\"\u00ff\",\"b\":NaN}".getBytes(ISO_8859_1);
    assertThat(members.readRepaired(both, 0, both.length))
        .isEqualTo(Set.of(JsonDefect.NON_FINITE_NUMBER, JsonDefect.INVALID_UTF8));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"a\":NaNs}",
        "{\"a\":nan}",
        "{\"a\":-NaN}",
        "{\"a\":+Infinity}",
        "{NaN:1}",
        "NaN",
        "{\"a\":\"half",
        "{\"a\":NaN",
        "{\"a\":\u00ff}",
        "{\"a\":\"\u0001\u00ff\"}",
        "{\"a\":\"\\\u00ff\"}"
      })
  void anythingElseIsRefused(String given) {
    assertThatThrownBy(() -> repaired(given)).isInstanceOf(InvalidJson.class);
  }

  @Test
  void aLargeDocumentIsNotRepaired() throws InvalidJson {
    String padding = "x".repeat(JsonRepair.BYTES_MAX - "{\"a\":\"\",\"b\":NaN}".length());
    String largest = "{\"a\":\"" + padding + "\",\"b\":NaN}";
    assertThat(repaired(largest)).endsWith("\"b\":null}");
    assertThatThrownBy(() -> repaired(" " + largest)).isInstanceOf(InvalidJson.class);
  }
}
