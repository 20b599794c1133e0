package dev.tollgate.core.api.responses;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.http.Headers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ResponseEventSetTest {
  @ParameterizedTest
  @CsvSource({
    "X-Stainless-Lang, js, EXTENDED",
    "User-Agent, ai-sdk/openai/2.0.88 ai-sdk/provider-utils/3.0.20 runtime/node.js/22, EXTENDED",
    "User-Agent, ai-sdk-openai/4.0.118 ai-sdk-provider-utils/5.0.81 node.js/v22.1.0, EXTENDED",
    "User-Agent, codex_cli_rs/0.140.0 (Linux 6.1; x86_64) xterm, EXTENDED",
    "User-Agent, Codex Desktop/1.2, EXTENDED",
    "originator, codex_vscode, EXTENDED",
    "User-Agent, OpenAI/JS 7.57.0, LISTED",
    "User-Agent, my-codex/1.0, LISTED",
    "originator, pi, LISTED",
    "User-Agent, curl/8.5.0, LISTED"
  })
  void theHeadersTellWhatAClientNeeds(String name, String value, ResponseEventSet needed) {
    assertThat(ResponseEventSet.neededBy(Headers.of(name, value))).isEqualTo(needed);
  }

  @Test
  void aClientThatSaysNothingGetsTheListedEvents() {
    assertThat(ResponseEventSet.neededBy(Headers.EMPTY)).isEqualTo(ResponseEventSet.LISTED);
  }

  @ParameterizedTest
  @CsvSource({
    "BY_CLIENT, EXTENDED, EXTENDED",
    "BY_CLIENT, LISTED, LISTED",
    "LISTED, EXTENDED, LISTED",
    "EXTENDED, LISTED, EXTENDED"
  })
  void theOperatorChoosesFirst(
      ResponseEventChoice choice, ResponseEventSet needed, ResponseEventSet expected) {
    assertThat(choice.setFor(needed)).isEqualTo(expected);
  }
}
