package dev.tollgate.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.api.ClientView;
import dev.tollgate.core.api.Endpoint;
import dev.tollgate.core.api.ResponsesView;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.dialect.ChatTranslation;
import dev.tollgate.core.dialect.ToolNameRule;
import dev.tollgate.core.dialect.registry.Dialects;
import dev.tollgate.core.testkit.AnthropicWire;
import dev.tollgate.core.testkit.OpenAiWire;
import dev.tollgate.core.testkit.RecordedClient;
import dev.tollgate.core.testkit.Scenario;
import dev.tollgate.core.testkit.TestCatalog;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tools that a provider takes in another form only: each answer has the client's own. */
class ClientToolsTest {
  /** A name that every provider with a rule refuses. */
  private static final String NAME = "1." + "n".repeat(150);

  private static final String USAGE =
      "\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":3,\"total_tokens\":8}";

  /** Providers, and how they call a tool. */
  enum Caller {
    OPENAI("openai") {
      @Override
      String stream(String name) {
        return "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"tool_calls\":["
            + "{\"index\":0,\"id\":\"c\",\"type\":\"function\",\"function\":{\"name\":\""
            + name
            + "\",\"arguments\":\"{}\"}}]},\"finish_reason\":null}]}\n\n"
            + "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}],"
            + USAGE
            + "}\n\ndata: [DONE]\n\n";
      }

      @Override
      String whole(String name) {
        return "{\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":null,"
            + "\"tool_calls\":[{\"id\":\"c\",\"type\":\"function\",\"function\":{\"name\":\""
            + name
            + "\",\"arguments\":\"{}\"}}]},\"finish_reason\":\"tool_calls\"}],"
            + USAGE
            + "}";
      }
    },
    ANTHROPIC("anthropic") {
      @Override
      String stream(String name) {
        return AnthropicWire.start(5)
            + AnthropicWire.call(0, "c", name, "{}")
            + AnthropicWire.stop("tool_use", 3);
      }

      @Override
      String whole(String name) {
        return "{\"id\":\"m\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\",\"content\":["
            + "{\"type\":\"tool_use\",\"id\":\"c\",\"name\":\""
            + name
            + "\",\"input\":{}}],\"stop_reason\":\"tool_use\","
            + "\"usage\":{\"input_tokens\":5,\"output_tokens\":3}}";
      }
    },
    GEMINI("gemini") {
      @Override
      String stream(String name) {
        return "data: " + whole(name) + "\n\n";
      }

      @Override
      String whole(String name) {
        return "{\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"name\":\""
            + name
            + "\",\"args\":{}}}]},\"finishReason\":\"STOP\"}],\"usageMetadata\":"
            + "{\"promptTokenCount\":5,\"candidatesTokenCount\":3,\"totalTokenCount\":8}}";
      }
    },
    COHERE("cohere") {
      @Override
      String stream(String name) {
        return "data: {\"type\":\"message-start\",\"id\":\"m\"}\n\n"
            + "data: {\"type\":\"tool-call-start\",\"delta\":{\"message\":{\"tool_calls\":{\"id\":\"c\","
            + "\"type\":\"function\",\"function\":{\"name\":\""
            + name
            + "\",\"arguments\":\"{}\"}}}}}\n\n"
            + "data: {\"type\":\"tool-call-end\"}\n\n"
            + "data: {\"type\":\"message-end\",\"delta\":{\"finish_reason\":\"TOOL_CALL\",\"usage\":"
            + "{\"tokens\":{\"input_tokens\":5,\"output_tokens\":3}}}}\n\ndata: [DONE]\n\n";
      }

      @Override
      String whole(String name) {
        return "{\"id\":\"m\",\"message\":{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"c\","
            + "\"type\":\"function\",\"function\":{\"name\":\""
            + name
            + "\",\"arguments\":\"{}\"}}]},\"finish_reason\":\"TOOL_CALL\","
            + "\"usage\":{\"tokens\":{\"input_tokens\":5,\"output_tokens\":3}}}";
      }
    };

    private final String dialect;

    @SuppressWarnings("ImmutableEnumChecker") // a record of settings
    private final ToolNameRule rule;

    Caller(String dialect) {
      this.dialect = dialect;
      this.rule =
          Dialects.named(dialect)
              .translation()
              .map(ChatTranslation::toolNames)
              .orElse(ToolNameRule.OPENAI);
    }

    abstract String stream(String name);

    abstract String whole(String name);

    private Provider provider() {
      return TestCatalog.ofDialect(dialect, "beta");
    }

    private String answer(boolean stream, String name) {
      return stream
          ? OpenAiWire.STREAM_HEAD + OpenAiWire.chunk(stream(name)) + OpenAiWire.LAST_CHUNK
          : OpenAiWire.response(200, "OK", "", whole(name));
    }
  }

  private static RecordedClient answered(
      Caller caller, Endpoint endpoint, String body, boolean stream, String name) {
    try (var scenario = Scenario.of(TestCatalog.of(caller.provider()))) {
      RecordedClient client =
          scenario.ask(endpoint, "{\"model\":\"acme/one\",\"stream\":" + stream + "," + body + "}");
      String sent = scenario.link(0).received();
      assertThat(sent).contains("\"name\":\"" + name + "\"");
      assertThat(sent.contains(NAME)).isEqualTo(name.equals(NAME));
      scenario.link(0).send(caller.answer(stream, name));
      assertThat(scenario.served().cost().value()).isEqualTo(11);
      return client;
    }
  }

  @ParameterizedTest
  @EnumSource(Caller.class)
  void aChatsAnswerHasTheClientsName(Caller caller) {
    String body =
        "\"messages\":[{\"role\":\"user\",\"content\":\"Q\"}],\"tools\":[{\"type\":\"function\","
            + "\"function\":{\"name\":\""
            + NAME
            + "\"}}]";
    // A chat goes to a provider of its own format as it is.
    String name = caller == Caller.OPENAI ? NAME : caller.rule.sent(NAME);
    ClientView view =
        ClientView.of(answered(caller, Endpoint.CHAT_COMPLETIONS, body, true, name).text());
    assertThat(view.calls())
        .singleElement()
        .satisfies(call -> assertThat(call.name).isEqualTo(NAME));
    assertThat(view.finish()).isEqualTo("tool_calls");
    JsonNode whole =
        ClientView.tree(
            answered(caller, Endpoint.CHAT_COMPLETIONS, body, false, name).whole().body());
    assertThat(whole.at("/choices/0/message/tool_calls/0/function/name").asText()).isEqualTo(NAME);
  }

  @ParameterizedTest
  @EnumSource(Caller.class)
  void aResponseHasTheClientsName(Caller caller) {
    String body =
        "\"input\":[{\"role\":\"user\",\"content\":\"Q\"},{\"type\":\"function_call\",\"call_id\":\"a\","
            + "\"name\":\"NAME\",\"arguments\":\"{}\"},{\"type\":\"function_call_output\","
            + "\"call_id\":\"a\",\"output\":\"1\"}],\"tools\":[{\"type\":\"function\",\"name\":\"NAME\"}]";
    String asked = body.replace("NAME", NAME);
    String name = caller.rule.sent(NAME);
    ResponsesView view =
        ResponsesView.of(answered(caller, Endpoint.RESPONSES, asked, true, name).text());
    assertThat(view.completed().at("/output").findValuesAsText("name")).containsExactly(NAME);
    JsonNode whole =
        ClientView.tree(answered(caller, Endpoint.RESPONSES, asked, false, name).whole().body());
    assertThat(whole.at("/output").findValuesAsText("name")).containsExactly(NAME);
  }

  @ParameterizedTest
  @EnumSource(value = Caller.class, mode = EnumSource.Mode.EXCLUDE, names = "OPENAI")
  void anOlderCallAnswersOlderFunctions(Caller caller) {
    String body =
        "\"messages\":[{\"role\":\"user\",\"content\":\"Q\"}],\"functions\":[{\"name\":\""
            + NAME
            + "\"}],\"function_call\":\"auto\"";
    String name = caller.rule.sent(NAME);
    ClientView view =
        ClientView.of(answered(caller, Endpoint.CHAT_COMPLETIONS, body, true, name).text());
    assertThat(view.calls()).isEmpty();
    assertThat(view.finish()).isEqualTo("function_call");
    assertThat(view.chunks().stream().flatMap(one -> one.findValues("function_call").stream()))
        .anySatisfy(call -> assertThat(call.path("name").asText()).isEqualTo(NAME));
    JsonNode choice =
        ClientView.tree(
                answered(caller, Endpoint.CHAT_COMPLETIONS, body, false, name).whole().body())
            .at("/choices/0");
    assertThat(choice.path("finish_reason").asText()).isEqualTo("function_call");
    assertThat(choice.at("/message/function_call"))
        .isEqualTo(ClientView.tree("{\"name\":\"" + NAME + "\",\"arguments\":\"{}\"}"));
    assertThat(choice.path("message").has("tool_calls")).isFalse();
  }
}
