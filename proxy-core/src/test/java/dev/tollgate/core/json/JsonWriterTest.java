package dev.tollgate.core.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tollgate.core.testkit.Seeds;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Written JSON can be parsed, and has the values written. */
class JsonWriterTest {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  @Test
  void commasStandWhereTheyBelong() {
    assertThat(
            written(
                out ->
                    out.beginObject()
                        .name("a")
                        .number(-1)
                        .name("b")
                        .beginArray()
                        .string("x")
                        .bool(true)
                        .nul()
                        .beginObject()
                        .endObject()
                        .beginArray()
                        .endArray()
                        .endArray()
                        .name("c")
                        .raw(JsonBytes.raw("1.50"))
                        .endObject()))
        .isEqualTo("{\"a\":-1,\"b\":[\"x\",true,null,{},[]],\"c\":1.50}");
  }

  @Test
  void treesAreWritten() {
    Map<String, Object> tree = new LinkedHashMap<>();
    tree.put("list", Arrays.asList(1, 2.5, new BigDecimal("1E+3"), null, false, List.of()));
    tree.put("text", "a\"b");
    tree.put("map", Map.of("k", Long.MAX_VALUE));
    tree.put("raw", JsonBytes.raw("[ 1 ]"));
    assertThat(written(out -> out.value(tree)))
        .isEqualTo(
            "{\"list\":[1,2.5,1E+3,null,false,[]],\"text\":\"a\\\"b\","
                + "\"map\":{\"k\":9223372036854775807},\"raw\":[ 1 ]}");
  }

  @Test
  void everyCharIsWrittenSoThatItReadsBack() throws IOException {
    for (int c = 0; c <= Character.MAX_VALUE; c++) {
      String text = "a" + (char) c + "z";
      String json = JsonBytes.string(text).toString();
      if (!text.equals(MAPPER.readTree(json).textValue())) {
        assertThat(json).isEqualTo(text);
      }
    }
  }

  @Test
  void halvesOfSurrogatePairsAreEscapedAndWholePairsAreNot() {
    assertThat(JsonBytes.string("\uD83D\uDE00")).hasToString("\"\uD83D\uDE00\"");
    assertThat(JsonBytes.string("\uDE00\uD83D")).hasToString("\"\\ude00\\ud83d\"");
    assertThat(JsonBytes.string("\u0001\n\b")).hasToString("\"\\u0001\\n\\b\"");
  }

  @Test
  void randomTextReadsBack() {
    Seeds.forEach(
        random -> {
          String text = RandomJson.text(random, 30);
          byte[] json = JsonBytes.string(text).toString().getBytes(StandardCharsets.UTF_8);
          assertThat(MAPPER.readTree(json).textValue()).isEqualTo(text);
        });
  }

  @Test
  void whatJsonCannotSayIsRefused() {
    assertThatThrownBy(() -> JsonBytes.value(Double.NaN))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> JsonBytes.value(new Object()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static String written(Consumer<JsonWriter> writing) {
    ByteBuf out = Unpooled.buffer();
    writing.accept(new JsonWriter(out));
    return out.toString(StandardCharsets.UTF_8);
  }
}
