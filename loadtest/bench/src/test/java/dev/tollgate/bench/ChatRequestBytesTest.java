package dev.tollgate.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.bench.BenchPlan.Prompt;
import dev.tollgate.bench.BenchPlan.TargetSpec;
import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.http.Field;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Requests to each side of a comparison. */
class ChatRequestBytesTest {
  private static final Prompt SHORT = new Prompt(8, 5);

  @Test
  void additionalFieldsFollowTheUsualOnes() {
    TargetSpec party =
        new TargetSpec(
            BaseUrl.of("http://127.0.0.1:9/v1", false),
            new Secret("sk-1"),
            "plain",
            "paced",
            List.of(new Field("x-peer-provider", "openai"), new Field("x-peer-host", "h")));

    assertThat(ChatRequestBytes.streamed(party, SHORT).toString(UTF_8))
        .isEqualTo(
            """
            POST /v1/chat/completions HTTP/1.1\r
            host: 127.0.0.1:9\r
            authorization: Bearer sk-1\r
            x-peer-provider: openai\r
            x-peer-host: h\r
            content-type: application/json\r
            content-length: 96\r
            \r
            {"model":"paced","stream":true,"max_tokens":5,"messages":[{"role":"user","content":"tell me "}]}\
            """);
  }
}
