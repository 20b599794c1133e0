package dev.tollgate.server.acceptance;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.errors.PermissionDeniedException;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import dev.tollgate.core.testkit.RawClient;
import dev.tollgate.core.testkit.RawResponse;
import java.io.ByteArrayOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Keys that an operator creates and changes on the command line, and their effect on clients. */
@Execution(ExecutionMode.CONCURRENT) // it waits for the poll of keys
class KeysIT {
  private static final Duration EVERYWHERE = Duration.ofSeconds(5);
  private static final String PROXY_V2 = "\r\n\r\n\0\r\nQUIT\n";

  @Test
  void aChangeActsWithinFiveSeconds() throws Exception {
    String key = create("--name", "changing");
    String id = key.substring("sk-llm-".length(), "sk-llm-".length() + 8);
    assertThat(ChatRequests.ask(SharedNode.node(), "test/chat", key).status()).isEqualTo(200);

    keys("disable", id);
    awaitCode(key, "key_disabled");
    keys("enable", id);
    awaitCode(key, "");
    keys("revoke", id);
    awaitCode(key, "key_revoked");
  }

  @Test
  void aKeyForOtherModelsIsPermissionDenied() throws Exception {
    String key = create("--name", "narrow", "--allow-model", "test/tool");
    var client =
        OpenAIOkHttpClient.builder()
            .baseUrl(SharedNode.node().baseUrl().toString())
            .apiKey(key)
            .maxRetries(0)
            .build();
    var params = ChatCompletionCreateParams.builder().addUserMessage("Hi.");

    assertThat(client.chat().completions().create(params.model("test/tool").build()).id())
        .isNotEmpty();
    var denied =
        catchThrowableOfType(
            PermissionDeniedException.class,
            () -> client.chat().completions().create(params.model("test/chat").build()));

    assertThat(denied.code()).contains("model_not_allowed");
    assertThat(denied.headers().values("x-request-id")).hasSize(1);
    assertThat(client.models().list().data()).hasSize(1);
    client.close();
  }

  @Test
  void aScopeThatMatchesNothingIsRefusedOrForcedAndThenWarnedOf() throws Exception {
    String[] wish = {"create", "--org", "acceptance", "--name", "odd", "--allow-model", "tets/*"};
    LauncherProcess.CommandResult refused = launch("keys", wish);
    assertThat(refused.exitCode()).isOne();
    assertThat(refused.err())
        .contains("allowed_models[0]: is no model of this gateway; force allows it nevertheless");

    String key = create("--name", "odd", "--allow-model", "tets/*,test/t*l", "--force");
    assertThat(ChatRequests.ask(SharedNode.node(), "test/tool", key).status()).isEqualTo(200);
    assertThat(ChatRequests.ask(SharedNode.node(), "tool", key).status()).isEqualTo(200);
    for (String other : List.of("test/chat", "chat", "none", "test/none")) {
      assertThat(ChatRequests.code(ChatRequests.ask(SharedNode.node(), other, key)))
          .isEqualTo("model_not_allowed");
    }
    assertThat(ChatRequests.code(ChatRequests.ask(SharedNode.node(), "tets/none", key)))
        .isEqualTo("model_not_found");
    String id = key.substring("sk-llm-".length(), "sk-llm-".length() + 8);
    assertThat(connectChecked().err())
        .contains(
            "warning: key "
                + id
                + " (odd) of acceptance: the allowed model tets/* matches no model")
        .doesNotContain("test/t*l");
    keys("revoke", id);
  }

  /** Checks another file on the same store: many of the node's providers do not answer. */
  private static LauncherProcess.CommandResult connectChecked() throws Exception {
    Path file = SharedNode.node().home().config().resolveSibling("one-model.yaml");
    String text =
        """
        version: 1
        store: { url: embedded, data_dir: ./data }
        providers: { mock: { type: mock } }
        models:
          test/tool:
            modality: chat
            price: free
            routes: [{ provider: mock, model: mock-chat }]
        """;
    return LauncherProcess.run(
        "check", "--connect", "--config", Files.writeString(file, text).toString());
  }

  @Test
  void theProxyHeaderGivesTheClientAddressOfAKey() throws Exception {
    String key = create("--name", "at-home", "--allow-ip", "10.1.2.0/24");
    ConfigBuilder setup =
        SharedNode.setup()
            .listen(Map.of("proxy_protocol", true, "trusted_proxies", List.of("127.0.0.1/32")));
    try (GatewayProcess node = SharedNode.beside(setup, List.of())) {
      assertThat(askFrom(node, 3, key).status()).isEqualTo(200);
      RawResponse elsewhere = askFrom(node, 0x1_03, key);
      assertThat(elsewhere.status()).isEqualTo(403);
      assertThat(ChatRequests.code(elsewhere)).isEqualTo("ip_not_allowed");
      try (RawClient without = node.connect()) {
        without.get("/v1/models", ChatRequests.authorization(key));
        assertThat(new String(without.readToEnd(), ISO_8859_1)).doesNotContain("200 OK");
      }
    }
    assertThat(ChatRequests.code(ChatRequests.ask(SharedNode.node(), "test/chat", key)))
        .isEqualTo("ip_not_allowed");
  }

  /** Sends a request like a load balancer for a client at 10.1.2.0 plus an offset. */
  private static RawResponse askFrom(GatewayProcess node, int offset, String key) {
    ByteArrayOutputStream header = new ByteArrayOutputStream();
    header.writeBytes(PROXY_V2.getBytes(ISO_8859_1));
    header.writeBytes(new byte[] {0x21, 0x11, 0, 12}); // version 2, TCP over IPv4, 12 bytes
    header.writeBytes(new byte[] {10, 1, (byte) (2 + (offset >> 8)), (byte) offset});
    header.writeBytes(new byte[] {127, 0, 0, 1, 0x30, 0x39, 0, 80});
    try (RawClient client = node.connect()) {
      client.send(header.toByteArray());
      client.post(
          ChatRequests.PATH,
          ChatRequests.body("test/chat", false),
          ChatRequests.authorization(key));
      return client.readResponse();
    }
  }

  private static void awaitCode(String key, String code) {
    long changedNanos = System.nanoTime();
    String got;
    do {
      got = ChatRequests.code(ChatRequests.ask(SharedNode.node(), "test/chat", key));
      assertThat(Duration.ofNanos(System.nanoTime() - changedNanos))
          .as("%s is still %s", code, got)
          .isLessThan(EVERYWHERE);
    } while (!got.equals(code));
  }

  private static String create(String... options) throws Exception {
    List<String> arguments = new ArrayList<>(List.of("create", "--org", "acceptance"));
    arguments.addAll(List.of(options));
    String printed = keys(arguments.toArray(String[]::new)).out();
    return Json.tree(printed).path("key").asText();
  }

  private static LauncherProcess.CommandResult keys(String... arguments) throws Exception {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("-o", "json"));
    LauncherProcess.CommandResult result = launch("keys", all.toArray(String[]::new));
    assertThat(result.exitCode()).as(result.err()).isZero();
    return result;
  }

  private static LauncherProcess.CommandResult launch(String verb, String... arguments)
      throws Exception {
    List<String> all = new ArrayList<>(List.of(verb));
    all.addAll(List.of(arguments));
    all.addAll(List.of("--config", SharedNode.node().home().config().toString()));
    return LauncherProcess.run(all.toArray(String[]::new));
  }
}
