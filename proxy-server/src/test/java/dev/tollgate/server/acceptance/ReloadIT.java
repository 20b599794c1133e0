package dev.tollgate.server.acceptance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.testkit.RawClient;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * SIGHUP replaces models and providers as a whole; an invalid file changes nothing and is reported.
 */
class ReloadIT {
  private static final Duration SOON = Duration.ofSeconds(30);

  @Test
  void modelsAreSwappedAndABadFileChangesNothing() throws Exception {
    SharedNode.scripted().model("reload", (_, to) -> to.send(Sse.completion("new")));
    ConfigBuilder before =
        SharedNode.setup()
            .model("reload/old", "mock", "mock-chat?chunks=40&interval=20ms&ttft=0ms");
    ConfigBuilder after =
        SharedNode.setup()
            .openAi("second", SharedNode.scripted().baseUrl(), "another-key")
            .model("reload/new", "second", "reload");
    try (GatewayProcess node = SharedNode.beside(before, List.of());
        RawClient open = ChatRequests.stream(node, "reload/old")) {
      node.home().write(after);
      node.hangUp();
      awaitCount(node, "tollgate_config_reloads_total", 1);

      assertThat(ChatRequests.code(ChatRequests.ask(node, "reload/old")))
          .isEqualTo("model_not_found");
      assertThat(ChatRequests.ask(node, "reload/new").text()).contains("\"new\"", "\"second\"");
      String rest = open.readUntil("data: [DONE]");
      assertThat(rest).contains("\"finish_reason\":\"stop\"").doesNotContain("\"error\"");

      node.home().writeText("version: 1\nmodles: {}\n");
      node.hangUp();
      awaitCount(node, "tollgate_config_reload_failures_total", 1);
      assertThat(node.admin().total("tollgate_config_last_reload_successful")).isZero();
      assertThat(node.err().text()).contains("modles");
      assertThat(ChatRequests.ask(node, "reload/new").status()).isEqualTo(200);

      HttpResponse<String> refused = node.admin().post("/-/reload");
      assertThat(refused.statusCode()).isEqualTo(400);
      assertThat(refused.body()).contains("modles", "models");

      node.home().write(before);
      assertThat(node.admin().post("/-/reload").statusCode()).isEqualTo(200);
      assertThat(node.admin().total("tollgate_config_last_reload_successful")).isOne();
      assertThat(ChatRequests.ask(node, "reload/old").status()).isEqualTo(200);
      assertThat(new String(ChatRequests.ask(node, "reload/new").raw(), UTF_8)).contains(" 404 ");
    }
  }

  @Test
  void newPricesAreStoredBeforeTheyAreInUse() throws Exception {
    ConfigBuilder samePrices = SharedNode.setup().model("reload/same", "mock", "mock-chat");
    Map<String, String> price = Map.of("input", "0.170001", "output", "0.71");
    ConfigBuilder newPrices = SharedNode.setup().model("reload/priced", "mock", "mock-chat", price);
    NodeFolder database = SharedNode.node().home();
    try (DatabaseGate gate = DatabaseGate.to(database);
        GatewayProcess node = SharedNode.through(gate)) {
      gate.shut();
      node.home().write(samePrices);
      assertThat(node.admin().post("/-/reload").statusCode()).isEqualTo(200);

      node.home().write(newPrices);
      HttpResponse<String> refused = node.admin().post("/-/reload");
      assertThat(refused.statusCode()).isEqualTo(400);
      assertThat(refused.body()).contains("prices are new and cannot be stored now");

      gate.open();
      long beganNanos = System.nanoTime();
      while (node.admin().post("/-/reload").statusCode() != 200) {
        assertThat(Duration.ofNanos(System.nanoTime() - beganNanos)).isLessThan(SOON);
      }
      assertThat(
              LedgerDatabase.of(database)
                  .number(
                      "SELECT count(*) FROM price_sheet WHERE content LIKE '{\"input\":170001,%'"))
          .isOne();
    }
  }

  private static void awaitCount(GatewayProcess node, String counter, int count) {
    node.admin().await(numbers -> numbers.getOrDefault(counter, 0.0) == count, counter);
  }
}
