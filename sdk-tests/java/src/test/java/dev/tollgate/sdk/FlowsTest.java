package dev.tollgate.sdk;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Every client with every flow over a provider of every format. */
class FlowsTest {
  private static final List<String> FORMATS =
      List.of("openai", "anthropic", "bedrock", "gemini", "cohere", "ollama");

  /** A client with a flow over a format, and how the gateway ends broken streams. */
  record Case(Client.Kind kind, String format, Flow flow, String end) {
    @Override
    public String toString() {
      return "%s %s %s %s".formatted(kind, format, flow, end);
    }
  }

  static List<Case> cases() {
    return Stream.of(
            Stream.of(Flow.values()).flatMap(flow -> cases(flow, "abort")),
            cases(Flow.CUT, "clean"),
            cases(Flow.CUT_WITHOUT_FINISH, "clean"))
        .flatMap(each -> each)
        .toList();
  }

  private static Stream<Case> cases(Flow flow, String end) {
    return Client.KINDS.stream()
        .flatMap(kind -> FORMATS.stream().map(format -> new Case(kind, format, flow, end)));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void aFlowEndsAsItsClientExpects(Case one) throws Throwable {
    Gateway gateway = one.end.equals("clean") ? Gateway.CLEAN : Gateway.ABORT;
    try (Client client = one.kind.maker().of(gateway, one.flow.retriesMax())) {
      String model = one.kind + one.flow.vendorSuffix() + "/" + one.format;
      KnownFailures.check(one.toString(), () -> one.flow.body.run(client, model, one.toString()));
    }
  }

  @ParameterizedTest
  @FieldSource("dev.tollgate.sdk.Client#KINDS")
  void aModelThatDoesNotExistIsNotFound(Client.Kind kind) {
    try (Client client = kind.maker().of(Gateway.ABORT, 0)) {
      Flow.isRefused(client, "no/such", "words", 404, "model_not_found");
    }
  }

  @ParameterizedTest
  @FieldSource("dev.tollgate.sdk.Client#KINDS")
  void aWrongKeyIsRefused(Client.Kind kind) {
    try (Client client = kind.maker().of(Gateway.ABORT.withKey("sk-llm-nonsense"), 0)) {
      Flow.isRefused(client, kind + "/openai", "words", 401, "invalid_api_key");
    }
  }

  @Test
  void everyKnownFailureOfAFlowIsACase() {
    assertThat(KnownFailures.all())
        .filteredOn(row -> !row.cases().matches("(recording|other) .*"))
        .allMatch(row -> cases().stream().anyMatch(one -> row.isAbout(one.toString())));
  }
}
