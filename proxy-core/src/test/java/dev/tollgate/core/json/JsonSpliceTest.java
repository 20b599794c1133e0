package dev.tollgate.core.json;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/** Edits of single objects, as a provider or a client gets them. */
class JsonSpliceTest {
  private static final JsonBytes ONE = JsonBytes.raw("1");

  @Test
  void withoutEditsNothingChanges() throws InvalidJson {
    for (String text : List.of("{ }", "{\"a\" : 1 , \"a\":\t2 }", "{\"a\":{}}")) {
      assertThat(edited(text, (members, splice) -> assertThat(splice.isUnchanged()).isTrue()))
          .isEqualTo(text);
    }
  }

  @Test
  void aReplacedValueKeepsItsSurroundings() throws InvalidJson {
    assertThat(
            edited(
                "{ \"m\\u006fdel\" :  \"acme/m1\" , \"n\" : 1.0 }",
                (members, splice) ->
                    splice.replace(members.indexOf("model"), JsonBytes.string("m1"))))
        .isEqualTo("{ \"m\\u006fdel\" :  \"m1\" , \"n\" : 1.0 }");
  }

  @Test
  void deletionsLeaveCommasWhole() throws InvalidJson {
    String text = "{ \"a\":1, \"b\":2, \"c\":3 }";
    assertThat(deleted(text, 0)).isEqualTo("{\"b\":2, \"c\":3 }");
    assertThat(deleted(text, 1)).isEqualTo("{ \"a\":1,\"c\":3 }");
    assertThat(deleted(text, 2)).isEqualTo("{ \"a\":1, \"b\":2}");
    assertThat(deleted(text, 0, 1)).isEqualTo("{\"c\":3 }");
    assertThat(deleted(text, 1, 2)).isEqualTo("{ \"a\":1}");
    assertThat(deleted(text, 0, 2)).isEqualTo("{\"b\":2}");
    assertThat(deleted(text, 0, 1, 2)).isEqualTo("{}");
  }

  @Test
  void insertionsAreAtTheRequestedPositions() throws InvalidJson {
    String text = "{\"a\":1, \"b\":2 }";
    assertThat(edited(text, (m, splice) -> splice.insertFirst("x", ONE)))
        .isEqualTo("{\"x\":1,\"a\":1, \"b\":2 }");
    assertThat(edited(text, (m, splice) -> splice.insertLast("x", ONE)))
        .isEqualTo("{\"a\":1, \"b\":2,\"x\":1}");
    assertThat(edited(text, (m, splice) -> splice.insertBefore(1, "x", ONE)))
        .isEqualTo("{\"a\":1,\"x\":1,\"b\":2 }");
    assertThat(edited(text, (m, splice) -> splice.insertAfter(0, "x", ONE).delete(0)))
        .isEqualTo("{\"x\":1,\"b\":2 }");
    assertThat(edited("{ }", (m, splice) -> splice.insertLast("x", ONE))).isEqualTo("{\"x\":1}");
  }

  @Test
  void insertionsAtOnePlaceKeepTheOrderOfTheCalls() throws InvalidJson {
    assertThat(
            edited(
                "{\"choices\":[]}",
                (m, splice) ->
                    splice
                        .insertFirst(JsonBytes.member("model", JsonBytes.string("a/b")))
                        .insertFirst("provider", JsonBytes.string("p"))))
        .isEqualTo("{\"model\":\"a/b\",\"provider\":\"p\",\"choices\":[]}");
  }

  @Test
  void aValueInsideTheObjectIsEditedInPlace() throws InvalidJson {
    assertThat(
            edited(
                "{\"choices\":[ {\"delta\": {\"content\":\"é\" ,\"p\":\"xx\"}}, {} ],\"z\":0}",
                (chunk, splice) -> {
                  JsonElements choices = chunk.array(0);
                  JsonMembers choice = choices.object(0);
                  JsonMembers delta = choice.object(0);
                  JsonSplice inDelta = JsonSplice.of(delta).delete(delta.indexOf("p"));
                  JsonSplice inChoice = JsonSplice.of(choice).replace(0, inDelta);
                  splice.replace(0, JsonSplice.of(choices).replace(0, inChoice));
                }))
        .isEqualTo("{\"choices\":[ {\"delta\": {\"content\":\"é\"}}, {} ],\"z\":0}");
  }

  @Test
  void elementsAreEditedAsMembersAre() throws InvalidJson {
    byte[] text = "[ 1, 2 ]".getBytes(StandardCharsets.UTF_8);
    JsonElements elements = JsonElements.of(text, 0, text.length);
    ByteBuf out = Unpooled.buffer();
    JsonSplice.of(elements).delete(0).insertLast(JsonBytes.string("x")).writeTo(out);
    assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("[2,\"x\"]");
  }

  @Test
  void aSpliceIsUsedAgain() throws InvalidJson {
    JsonMembers members = new JsonMembers();
    JsonSplice splice = JsonSplice.of(members);
    assertThat(editedAgain(members, splice, "{\"a\":1,\"b\":2,\"c\":3}"))
        .isEqualTo("{\"b\":2,\"c\":3,\"x\":1}");
    assertThat(editedAgain(members, splice, "{\"a\":1}")).isEqualTo("{\"x\":1}");
    assertThat(editedAgain(members, splice, "{\"a\":1,\"b\":2}")).isEqualTo("{\"b\":2,\"x\":1}");
  }

  @Test
  void aLongBodyIsForwardedInSlicesOfItsOwnArray() throws InvalidJson {
    String image = "x".repeat(10 << 20);
    byte[] body =
        ("{\"model\":\"acme/m1\",\"image\":\"" + image + "\",\"z\":1}")
            .getBytes(StandardCharsets.UTF_8);
    JsonMembers members = JsonMembers.of(body, 0, body.length);
    JsonSplice splice = JsonSplice.of(members).replace(0, JsonBytes.string("m1"));
    List<ByteBuf> buffers = splice.toBuffers();
    assertThat(buffers).hasSize(2);
    assertThat(buffers.get(1).array()).isSameAs(body);
    assertThat(buffers.get(0).readableBytes()).isLessThan(100);
    assertThat(buffers.stream().mapToInt(ByteBuf::readableBytes).sum())
        .isEqualTo(splice.sizeBytes());
    buffers.forEach(ByteBuf::release);
  }

  private static String editedAgain(JsonMembers members, JsonSplice splice, String text)
      throws InvalidJson {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    members.read(bytes, 0, bytes.length);
    splice.reset(members);
    assertThat(splice.isUnchanged()).isTrue();
    return written(splice.delete(0).insertLast("x", ONE));
  }

  private static String deleted(String text, int... indexes) throws InvalidJson {
    return edited(
        text,
        (members, splice) -> {
          for (int i : indexes) {
            splice.delete(i);
          }
        });
  }

  private static String edited(String text, BiConsumer<JsonMembers, JsonSplice> edits)
      throws InvalidJson {
    byte[] bytes = ("  " + text + " ").getBytes(StandardCharsets.UTF_8);
    JsonMembers members = JsonMembers.of(bytes, 0, bytes.length);
    JsonSplice splice = JsonSplice.of(members);
    edits.accept(members, splice);
    return written(splice);
  }

  private static String written(JsonSplice splice) {
    ByteBuf out = Unpooled.buffer();
    splice.writeTo(out);
    assertThat(splice.sizeBytes()).isEqualTo(out.readableBytes());
    return out.toString(StandardCharsets.UTF_8);
  }
}
