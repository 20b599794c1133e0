package dev.tollgate.core.api.embedding;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tollgate.core.api.ClientView;
import dev.tollgate.core.api.Samples;
import dev.tollgate.core.api.WholeReply;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.Usage;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EmbeddingReplyTest {
  private static final String DATA =
      "\"data\":[{\"object\":\"embedding\",\"index\":0,\"embedding\":[0.1,-2e-3]}]";

  private static WholeReply.Read read(String body) {
    byte[] bytes = body.getBytes(UTF_8);
    return EmbeddingReply.read(Samples.stamp(100), bytes, bytes.length);
  }

  private static WholeReply fine(String body) {
    assertThat(read(body)).as(body).isInstanceOf(WholeReply.Read.Fine.class);
    return ((WholeReply.Read.Fine) read(body)).reply();
  }

  private static String written(WholeReply reply, Usage charged) {
    ByteBuf out = Unpooled.buffer();
    reply.writeTo(charged, new MicroUsd(5), out);
    return out.toString(UTF_8);
  }

  @Test
  void onlyWhatIsOursIsChanged() {
    String body =
        "{\"object\":\"list\", "
            + DATA
            + ",\n\"model\":\"ada-002\",\"usage\":{\"prompt_tokens\":2,\"total_tokens\":2},\"x\":1}";
    WholeReply reply = fine(body);
    Usage usage = reply.reportedUsage().orElseThrow();
    assertThat(usage).isEqualTo(Usage.ofTokens(2, 0));
    assertThat(written(reply, usage))
        .isEqualTo(
            "{\"object\":\"list\", "
                + DATA
                + ",\n\"model\":\"acme/m1\",\"provider\":\"acme-eu\",\"usage\":{\"prompt_tokens\":2,"
                + "\"total_tokens\":2,\"x_llm_cost_micro\":5},\"x\":1}");
  }

  @Test
  void theGatewaysMembersInAProvidersReplyAreReplaced() {
    String body =
        "{\"provider\":\"OpenAI\",\"x_llm_cost_micro\":1,\"error\":null,"
            + DATA
            + ",\"data\":[],\"usage\":{\"prompt_tokens\":2,\"total_tokens\":2,\"x_llm_cost_micro\":0,"
            + "\"cost\":1.4e-7},\"usage\":null}";
    WholeReply reply = fine(body);
    String got = written(reply, reply.reportedUsage().orElseThrow());
    assertThat(got)
        .isEqualTo(
            "{\"object\":\"list\",\"model\":\"acme/m1\",\"provider\":\"acme-eu\","
                + DATA
                + ",\"usage\":{\"prompt_tokens\":2,\"total_tokens\":2,\"cost\":1.4e-7,"
                + "\"x_llm_cost_micro\":5}}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ",\"usage\":null",
        ",\"usage\":{}",
        ",\"usage\":{\"prompt_tokens\":-1,\"total_tokens\":2}",
        ",\"usage\":{\"prompt_tokens\":\"2\",\"total_tokens\":2}",
        ",\"usage\":{\"prompt_tokens\":101,\"total_tokens\":101}"
      })
  void usageThatIsMissingOrCannotBeTrueIsEstimated(String usage) {
    WholeReply reply = fine("{\"object\":\"list\"," + DATA + usage + "}");
    assertThat(reply.reportedUsage()).isEmpty();
    JsonNode got = ClientView.tree(written(reply, Usage.estimate(7, 0))).path("usage");
    assertThat(got)
        .isEqualTo(
            ClientView.tree(
                "{\"prompt_tokens\":7,\"total_tokens\":7,\"x_llm_cost_micro\":5,"
                    + "\"x_llm_usage_estimated\":true}"));
  }

  @Test
  void aTotalAloneIsAllThatWasCounted() {
    WholeReply reply = fine("{" + DATA + ",\"usage\":{\"total_tokens\":9}}");
    Usage usage = reply.reportedUsage().orElseThrow();
    assertThat(usage.promptTokens()).isEqualTo(9);
    JsonNode got = ClientView.tree(written(reply, usage)).path("usage");
    assertThat(got.path("prompt_tokens").intValue()).isEqualTo(9);
    assertThat(got.path("total_tokens").intValue()).isEqualTo(9);
  }

  @Test
  void alsoVectorsInBase64AndInEmptyPlacesAreRelayed() {
    String data = "\"data\" : [\n  {\"embedding\":\"AAAAAA==\",\"index\":1},{\"embedding\":[]}]";
    assertThat(written(fine("{" + data + "}"), Usage.ofTokens(1, 0))).contains(data);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"error\":{\"message\":\"no\"}}",
        "{\"object\":\"error\",\"message\":\"no\",\"code\":1}",
        "{\"detail\":\"no\"}",
        "{\"message\":\"no\",\"code\":\"x\"}"
      })
  void anErrorInsideOfASuccessIsOne(String body) {
    assertThat(read(body)).isInstanceOf(WholeReply.Read.ErrorObject.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[]",
        "{}",
        "{\"data\":null}",
        "{\"data\":{}}",
        "{\"data\":[]}",
        "{\"data\":[ ]}",
        "{\"data\":[0.1,0.2]}",
        "{\"data\":[{\"embedding\":[0.1,]}]}",
        "{\"choices\":[]}"
      })
  void whatHoldsNoVectorsIsMalformed(String body) {
    assertThat(read(body)).isInstanceOf(WholeReply.Read.Malformed.class);
  }

  @Test
  void aLargeVectorLeavesByteForByte() {
    Random random = new Random(7);
    StringBuilder data = new StringBuilder("\"data\": [{\"index\": 0, \"embedding\": [");
    while (data.length() < 124 * 1024) {
      data.append(random.nextDouble() - 0.5).append(",\n        ");
    }
    data.append("0.0]}]");
    String body =
        "{" + data + ",\"model\":\"m\",\"usage\":{\"prompt_tokens\":8,\"total_tokens\":8}}";
    WholeReply reply = fine(body);
    assertThat(written(reply, reply.reportedUsage().orElseThrow()))
        .isEqualTo(
            "{\"object\":\"list\","
                + data
                + ",\"model\":\"acme/m1\",\"provider\":\"acme-eu\",\"usage\":{\"prompt_tokens\":8,"
                + "\"total_tokens\":8,\"x_llm_cost_micro\":5}}");
  }
}
