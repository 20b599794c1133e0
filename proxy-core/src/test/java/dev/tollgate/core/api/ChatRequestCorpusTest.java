package dev.tollgate.core.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.api.chat.ChatRequest;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.testkit.Corpora;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Chat rows of the shared table of bodies, as far as the body alone decides. */
@Tag("corpus")
class ChatRequestCorpusTest {
  private static final Set<String> MODELS = Set.of("acme/m1", "acme/cheap", "acme/dear");

  @Test
  void everyBodyGetsItsVerdict() {
    List<String[]> rows =
        Corpora.rows("data/badjson.tsv").stream()
            .filter(row -> row[1].equals("POST /v1/chat/completions"))
            .toList();
    assertThat(rows).hasSizeGreaterThanOrEqualTo(68);
    for (String[] row : rows) {
      byte[] body = Corpora.bytes("data/badjson/" + row[0]);
      assertThat(verdict(body))
          .as(row[0] + " " + row[5])
          .isEqualTo(List.of(row[2], row[3], row[4]));
    }
  }

  private static List<String> verdict(byte[] body) {
    return switch (ChatRequest.parse(body, body.length)) {
      case ParseResult.Refused(Fault fault) ->
          List.of(
              Integer.toString(fault.code().status()),
              fault.code().wire(),
              fault.param() == null ? "-" : fault.param());
      case ParseResult.Valid(ChatRequest request) ->
          MODELS.contains(request.target().model())
              ? List.of("200", "-", "-")
              : List.of("404", "model_not_found", "model");
    };
  }
}
