package dev.tollgate.core.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.api.embedding.EmbeddingReply;
import dev.tollgate.core.money.Cost;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.PriceList;
import dev.tollgate.core.money.Usage;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Replay of all recorded embeddings of OpenAI-compatible providers. */
@Tag("corpus")
class WireEmbeddingsTest {
  static List<WireCase> cases() {
    return WireCase.family("openai-embeddings");
  }

  @Test
  void theCorpusIsAllThere() {
    assertThat(cases()).hasSize(5);
  }

  @ParameterizedTest
  @MethodSource("cases")
  void nothingIsLostAndTheCostIsTheRecordings(WireCase one) {
    WholeReply.Read read =
        EmbeddingReply.read(Samples.stamp(), one.response(), one.response().length);
    assertThat(read).isInstanceOf(WholeReply.Read.Fine.class);
    WholeReply reply = ((WholeReply.Read.Fine) read).reply();
    Usage usage = reply.reportedUsage().orElseThrow();
    MicroUsd cost = Cost.ofTokens(usage, prices(one));
    ByteBuf out = Unpooled.buffer();
    reply.writeTo(usage, cost, out);
    JsonNode got = ClientView.tree(out.toString(UTF_8));
    JsonNode sent = ClientView.tree(new String(one.response(), UTF_8));

    assertThat(got.path("data")).isEqualTo(sent.path("data"));
    assertThat(got.path("data")).hasSize(one.expect().path("count").intValue());
    assertThat(got.path("model").asText()).isEqualTo("acme/m1");
    assertThat(got.path("provider").asText()).isEqualTo("acme-eu");
    assertThat(LosslessRelayCheck.kept(sent, got)).isEmpty();
    one.expect()
        .path("usage_native")
        .properties()
        .forEach(
            each -> assertThat(got.path("usage").get(each.getKey())).isEqualTo(each.getValue()));
    assertThat(usage.promptTokens())
        .isEqualTo(one.expect().path("usage_native").path("prompt_tokens").longValue());
    assertThat(got.path("usage").path("x_llm_cost_micro").longValue()).isEqualTo(cost.value());
    JsonNode exact = one.expect().path("cost").path("cost_micro_exact");
    if (exact.isTextual()) {
      BigDecimal rounded =
          new BigDecimal(exact.textValue()).setScale(0, RoundingMode.HALF_UP).max(BigDecimal.ONE);
      assertThat(cost.value()).isEqualTo(rounded.longValueExact());
    }
  }

  private static PriceList prices(WireCase one) {
    JsonNode cost = one.expect().path("cost");
    return cost.isObject() ? WirePrices.of(cost.path("litellm_key").textValue()) : Samples.PRICES;
  }
}
