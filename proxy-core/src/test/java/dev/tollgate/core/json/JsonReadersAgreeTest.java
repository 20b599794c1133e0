package dev.tollgate.core.json;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tollgate.core.testkit.Seeds;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Two readers, one language: the scanner and jackson-core agree, on valid and invalid input. */
class JsonReadersAgreeTest {
  private static final byte[] GRAMMAR = "{}[]\":,\\u0e+-.tfn \n/".getBytes(StandardCharsets.UTF_8);
  private static final ObjectMapper MAPPER = new ObjectMapper();

  @Test
  void randomDocumentsAreReadAlike() {
    Seeds.forEach(random -> assertThat(JsonVerdict.ofBoth(document(random))).isEqualTo("ok"));
  }

  @Test
  void damagedDocumentsAreRefusedAlike() {
    Seeds.forEach(
        random -> {
          byte[] document = document(random);
          for (int i = 0; i < 20; i++) {
            JsonVerdict.ofBoth(damaged(random, document));
          }
        });
  }

  @Test
  void aLongStringIsReadAlikeWithAnyByteAtAnyPosition() {
    for (String odd :
        List.of("\"", "\\", "\\n", "\\u00e9", "\u001f", "\u0000", "é", "\u007f", "中")) {
      for (int at = 0; at < 1_200; at++) {
        String text = "A".repeat(at) + odd + "/".repeat(1_200 - at);
        JsonVerdict.ofBoth(("{\"a\":\"" + text + "\",\"b\":1}").getBytes(StandardCharsets.UTF_8));
      }
    }
  }

  @Test
  void longStringsOfRandomTextAreReadAlikeAndWhenDamaged() {
    Seeds.forEach(
        random -> {
          String text = RandomJson.string(random, RandomJson.text(random, 700));
          String plain = "\"" + "A".repeat(random.nextInt(3_000)) + "\"";
          byte[] document =
              ("{\"a\":" + text + ",\"b\":[" + plain + "],\"c\":" + text + "}")
                  .getBytes(StandardCharsets.UTF_8);
          for (int i = 0; i < 20; i++) {
            JsonVerdict.ofBoth(damaged(random, document));
          }
        });
  }

  @Test
  void everyBeginningOfADocumentIsRefused() {
    byte[] document =
        "{\"a\": [1.5e3, {\"b\": \"\\u00e9\u00e9\"}], \"c\": true}"
            .getBytes(StandardCharsets.UTF_8);
    for (int length = 0; length < document.length; length++) {
      assertThat(JsonVerdict.ofBoth(Arrays.copyOf(document, length))).isEqualTo("MALFORMED");
    }
    assertThat(JsonVerdict.ofBoth(document)).isEqualTo("ok");
  }

  @Test
  void randomMembersDecodeAsATreeReaderDecodesThem() {
    Seeds.forEach(
        random -> {
          byte[] document = document(random);
          assertSame(JsonMembers.of(document, 0, document.length), MAPPER.readTree(document));
        });
  }

  private static void assertSame(JsonMembers members, JsonNode tree) throws IOException {
    for (int i = 0; i < members.size(); i++) {
      assertThat(members.indexOf(members.name(i))).isLessThanOrEqualTo(i).isNotNegative();
    }
    for (Map.Entry<String, JsonNode> field : tree.properties()) {
      int last = lastIndexOf(members, field.getKey());
      assertThat(MAPPER.readTree(members.text(last))).isEqualTo(field.getValue());
      switch (members.kind(last)) {
        case STRING -> {
          String text = field.getValue().textValue();
          assertThat(members.string(last)).isEqualTo(text);
          assertThat(members.isString(last, text)).isTrue();
          assertThat(members.isString(last, text + "x")).isFalse();
        }
        case OBJECT -> assertSame(members.object(last), field.getValue());
        case ARRAY -> assertThat(members.array(last).size()).isEqualTo(field.getValue().size());
        case NUMBER -> assertThat(members.number(last)).isEqualTo(field.getValue().doubleValue());
        case TRUE, FALSE, NULL -> {}
      }
    }
  }

  private static int lastIndexOf(JsonMembers members, String name) {
    int last = -1;
    for (int i = members.indexOf(name); i >= 0; i = members.indexOf(name, i + 1)) {
      last = i;
    }
    assertThat(last).isNotNegative();
    return last;
  }

  private static byte[] document(Random random) {
    return RandomJson.document(random).getBytes(StandardCharsets.UTF_8);
  }

  /** Returns the document with one byte changed, dropped or inserted, often a structural one. */
  private static byte[] damaged(Random random, byte[] document) {
    int at = random.nextInt(document.length);
    byte other =
        random.nextInt(3) == 0 ? (byte) random.nextInt() : GRAMMAR[random.nextInt(GRAMMAR.length)];
    int dropped = random.nextInt(2);
    int added = dropped == 0 ? 1 : random.nextInt(2);
    byte[] damaged = new byte[document.length - dropped + added];
    System.arraycopy(document, 0, damaged, 0, at);
    damaged[Math.min(at, damaged.length - 1)] = other;
    System.arraycopy(document, at + dropped, damaged, at + added, document.length - at - dropped);
    return damaged;
  }
}
