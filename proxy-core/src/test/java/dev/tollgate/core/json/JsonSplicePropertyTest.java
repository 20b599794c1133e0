package dev.tollgate.core.json;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tollgate.core.testkit.Seeds;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Random edits of random objects: the result equals a tree model's, and unedited bytes are kept.
 */
class JsonSplicePropertyTest {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  @Test
  void editsEqualThoseOfATreeModel() {
    Seeds.forEach(
        random -> {
          byte[] document = RandomJson.document(random).getBytes(StandardCharsets.UTF_8);
          Edited edited = edit(random, JsonMembers.of(document, 0, document.length));
          byte[] output = written(edited.splice);
          JsonMembers result = JsonMembers.of(output, 0, output.length);
          assertThat(members(result)).isEqualTo(edited.members);
          assertThat(MAPPER.readTree(output)).isEqualTo(tree(edited.members));
          String text = new String(output, StandardCharsets.UTF_8);
          edited.runs.forEach(run -> assertThat(text).contains(run));
        });
  }

  /** A splice, the expected members as text, and the runs that must be unchanged. */
  private record Edited(JsonSplice splice, List<String> members, List<String> runs) {}

  private static Edited edit(Random random, JsonMembers source) {
    Edited edited = new Edited(JsonSplice.of(source), new ArrayList<>(), new ArrayList<>());
    int runStart = -1;
    int runEnd = -1;
    for (int i = 0; i < source.size(); i++) {
      boolean inserted = random.nextInt(8) == 0;
      if (inserted) {
        insert(random, edited, i);
      }
      boolean kept = random.nextInt(3) > 0;
      if (runStart >= 0 && (inserted || !kept)) {
        edited.runs.add(JsonText.raw(source.bytes(), runStart, runEnd));
        runStart = -1;
      }
      if (kept) {
        edited.members.add(name(source, i) + source.text(i));
        runStart = runStart < 0 ? source.nameStart(i) : runStart;
        runEnd = source.valueEnd(i);
      } else {
        change(random, source, i, edited);
      }
    }
    if (runStart >= 0) {
      edited.runs.add(JsonText.raw(source.bytes(), runStart, runEnd));
    }
    if (random.nextInt(3) == 0) {
      insertLast(random, edited);
    }
    return edited;
  }

  private static void insert(Random random, Edited edited, int i) {
    String name = RandomJson.text(random, 2);
    JsonBytes value = JsonBytes.raw(RandomJson.value(random, 2));
    if (i == 0) {
      edited.splice.insertFirst(name, value);
    } else if (random.nextBoolean()) {
      edited.splice.insertBefore(i, name, value);
    } else {
      edited.splice.insertAfter(i - 1, JsonBytes.member(name, value));
    }
    edited.members.add(JsonBytes.string(name) + ":" + value);
  }

  private static void insertLast(Random random, Edited edited) {
    String name = RandomJson.text(random, 2);
    JsonBytes value = JsonBytes.raw(RandomJson.value(random, 2));
    edited.splice.insertLast(name, value);
    edited.members.add(JsonBytes.string(name) + ":" + value);
  }

  /** Deletes a member, replaces its value, or edits inside it. */
  private static void change(Random random, JsonMembers source, int i, Edited edited) {
    if (random.nextInt(3) == 0) {
      edited.splice.delete(i);
    } else if (source.kind(i) == JsonKind.OBJECT) {
      Edited nested = edit(random, source.object(i));
      edited.splice.replace(i, nested.splice);
      edited.members.add(
          name(source, i) + new String(written(nested.splice), StandardCharsets.UTF_8));
      edited.runs.addAll(nested.runs);
    } else {
      JsonBytes value = JsonBytes.raw(RandomJson.value(random, 2));
      edited.splice.replace(i, value);
      edited.members.add(name(source, i) + value);
    }
  }

  private static List<String> members(JsonMembers members) {
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < members.size(); i++) {
      texts.add(name(members, i) + members.text(i));
    }
    return texts;
  }

  /** Returns the name as written, and a colon. */
  private static String name(JsonMembers members, int i) {
    return JsonText.raw(members.bytes(), members.nameStart(i), members.nameEnd(i)) + ":";
  }

  private static JsonNode tree(List<String> members) throws IOException {
    ObjectNode tree = MAPPER.createObjectNode();
    for (String member : members) {
      tree.setAll((ObjectNode) MAPPER.readTree("{" + member + "}"));
    }
    return tree;
  }

  private static byte[] written(JsonSplice splice) {
    ByteBuf out = Unpooled.buffer();
    splice.writeTo(out);
    byte[] bytes = new byte[out.readableBytes()];
    out.readBytes(bytes);
    ByteBuf wrapped = Unpooled.wrappedBuffer(splice.toBuffers().toArray(new ByteBuf[0]));
    assertThat(wrapped).isEqualTo(Unpooled.wrappedBuffer(bytes));
    assertThat(splice.sizeBytes()).isEqualTo(bytes.length);
    return bytes;
  }
}
