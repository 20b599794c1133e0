package dev.tollgate.core.dialect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.json.Param;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The list of what a provider does not get: short, each path once, whatever a client sends. */
class DroppedFieldsTest {
  @Test
  void eachPathIsNamedOnce() {
    var dropped = new DroppedFields();
    dropped.add("seed");
    dropped.add(Param.of("tools").at(0));
    dropped.add("seed");
    assertThat(dropped.paths()).containsExactly("seed", "tools[0]");
    assertThat(DroppedFields.named(dropped.paths())).isEqualTo(dropped.paths());
  }

  @Test
  void membersThatDoNotChangeTheAnswerAreNotNamed() {
    var dropped = new DroppedFields();
    List.of("user", "metadata", "store", "safety_identifier", "prompt_cache_key", "logit_bias")
        .forEach(dropped::add);
    assertThat(dropped.paths()).containsExactly("logit_bias");
  }

  @Test
  void pathsBeyondTheSixteenthAreCounted() {
    var dropped = new DroppedFields();
    IntStream.range(0, 19).forEach(k -> dropped.add(Param.of("messages").at(k)));
    dropped.add("messages[18]");
    assertThat(dropped.paths())
        .hasSize(17)
        .startsWith("messages[0]")
        .endsWith("messages[15]", "+3");
    assertThat(DroppedFields.named(dropped.paths())).hasSize(16).doesNotContain("+3");
  }

  @Test
  void aListJoinsAnotherUnderTheClientsNames() {
    var chat = new DroppedFields();
    IntStream.range(0, 20).forEach(k -> chat.add("x" + k));
    var all = new DroppedFields();
    all.add("first");
    all.addAll(chat.paths(), path -> "client." + path);
    assertThat(all.paths()).hasSize(17).contains("first", "client.x14").endsWith("+5");
  }

  @Test
  void aLongNameIsCut() {
    var dropped = new DroppedFields();
    dropped.add("n".repeat(1_000));
    assertThat(dropped.paths()).containsExactly("n".repeat(100));
  }
}
