package dev.tollgate.mock;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tollgate.core.testkit.PeerClose;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Faults change a plain reply as they change a stream, where they apply. */
class PlainFaultsTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  @RegisterExtension static final RunningMock MOCK = new RunningMock();

  @Test
  void everyFaultThatKeepsItsHeadAnswersPlainRequestsWithoutEvents() {
    for (MockFault fault : FaultCatalog.all()) {
      boolean hasHead = !(fault instanceof HeadFault) && !(fault instanceof BodyFault);
      if (hasHead) {
        RawResponse reply = ask(fault.spec().wireName());
        assertThat(reply.text()).as(fault.spec().wireName()).doesNotContain("data: ");
        assertThat(reply.header("transfer-encoding")).isNull();
      }
    }
  }

  @Test
  void aBodyIsCutByFinAndByRst() {
    for (PeerClose.How how : PeerClose.How.values()) {
      try (RawClient client = connect("cut-" + (how == PeerClose.How.FIN ? "fin" : "rst"))) {
        String raw = new String(client.readToEnd(), ISO_8859_1);
        int announced = Integer.parseInt(raw.split("Content-Length: ", 2)[1].split("\r\n", 2)[0]);
        assertThat(raw.split("\r\n\r\n", 2)[1]).hasSize(announced / 2);
        assertThat(client.awaitClosed().how()).isEqualTo(how);
      }
    }
  }

  @Test
  void aBodyIsTruncatedInvalidWithoutUsageOrWithoutChoices() throws Exception {
    assertThat(ask("cut-clean").text()).startsWith("{\"id\":").doesNotEndWith("}");
    assertThat(ask("malformed").text()).isEqualTo("{\"id\":\"broken\",");
    assertThat(ask("wrong-shape").text()).isEqualTo("[]");
    assertThat(ask("empty").body()).isEmpty();
    assertThat(ask("invalid-utf8").rawText()).contains("\u00ff");
    JsonNode withoutUsage = JSON.readTree(ask("no-usage").body());
    assertThat(withoutUsage.has("usage")).isFalse();
    assertThat(withoutUsage.has("choices")).isTrue();
    JsonNode withoutChoices = JSON.readTree(ask("no-choices").body());
    assertThat(withoutChoices.has("usage")).isTrue();
    assertThat(withoutChoices.has("choices")).isFalse();
  }

  @Test
  void usageIsZeroNegativeOrEmpty() throws Exception {
    assertThat(JSON.readTree(ask("usage-zero").body()).at("/usage/total_tokens").asInt(1)).isZero();
    assertThat(JSON.readTree(ask("usage-negative").body()).at("/usage/prompt_tokens").asInt())
        .isEqualTo(-5);
    assertThat(JSON.readTree(ask("usage-empty").body()).path("usage")).isEmpty();
  }

  @Test
  void aBodyMayBeBig() {
    assertThat(ask("big-line:2").body()).hasSizeGreaterThan(2 << 20);
  }

  private static RawResponse ask(String fault) {
    try (RawClient client = connect(fault)) {
      return client.readResponse();
    }
  }

  private static RawClient connect(String fault) {
    return RawClient.connect(MOCK.port())
        .post("/v1/chat/completions", "{\"model\":\"fault/" + fault + "\"}");
  }
}
