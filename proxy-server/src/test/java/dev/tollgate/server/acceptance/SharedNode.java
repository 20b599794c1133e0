package dev.tollgate.server.acceptance;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Node that all tests of this JVM share, with the bundled provider and a scripted one. Tests that
 * need another kind of node start it beside this one, on the same database.
 */
final class SharedNode {
  /** Credential of a provider that must not appear anywhere but at the provider. */
  static final String PROVIDER_KEY = "canary-9f2c-provider-key";

  /** Mock provider of the models {@code acme/…} alone, whose requests tests count. */
  static final String COUNTED = "counted";

  private final ScriptedModels scripted = new ScriptedModels();
  private final GatewayProcess node;
  private final String key;

  private SharedNode() throws IOException, InterruptedException {
    NodeFolder folder = NodeFolder.with(setup(scripted.baseUrl()));
    node = GatewayProcess.start(folder);
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  node.endWithThisJvm();
                  folder.close();
                }));
    key = node.bootstrapKey();
  }

  private static final class Running {
    static final SharedNode INSTANCE = start();

    private static SharedNode start() {
      return unchecked(SharedNode::new);
    }
  }

  static GatewayProcess node() {
    return Running.INSTANCE.node;
  }

  /** Returns the bootstrap key: all models, no limits. */
  static String key() {
    return Running.INSTANCE.key;
  }

  static String authorization() {
    return "Authorization: Bearer " + key();
  }

  /** The scripted provider of the shared node, and of other nodes that name it. */
  static ScriptedModels scripted() {
    return Running.INSTANCE.scripted;
  }

  /** Returns the shared node's setup, for a node that differs slightly. */
  static ConfigBuilder setup() {
    return setup(scripted().baseUrl());
  }

  /**
   * Starts another node on the shared node's database, so that the same keys are valid, in a folder
   * that is deleted with it.
   */
  static GatewayProcess beside(ConfigBuilder setup, List<String> jvmFlags, String... sets) {
    return unchecked(
        () -> {
          List<String> all = new ArrayList<>(node().home().storeSettings());
          all.addAll(List.of(sets));
          return GatewayProcess.start(setup, jvmFlags, all.toArray(String[]::new));
        });
  }

  /** Starts another node behind a gate to the database. */
  static GatewayProcess through(DatabaseGate gate, String... sets) {
    return unchecked(
        () -> {
          List<String> all = new ArrayList<>(gate.storeSettings());
          all.addAll(List.of(sets));
          return GatewayProcess.start(setup(), List.of(), all.toArray(String[]::new));
        });
  }

  private static <T> T unchecked(Start<T> start) {
    try {
      return start.now();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  private interface Start<T> {
    T now() throws IOException, InterruptedException;
  }

  /** A server that lets clients choose models and prices. */
  private static Map<String, Object> pricing(String url, boolean isAllowed) {
    return Map.of(
        "type",
        "openai",
        "preset",
        "openrouter",
        "base_url",
        url,
        "api_key",
        PROVIDER_KEY,
        "quirks",
        Map.of("priced_options", isAllowed));
  }

  private static ConfigBuilder setup(String scriptedUrl) {
    return ConfigBuilder.empty()
        .mock("mock")
        .mock(COUNTED)
        .openAi("scripted", scriptedUrl, PROVIDER_KEY)
        .openAi("scripted-two", scriptedUrl, PROVIDER_KEY)
        .openAi("doubtful", scriptedUrl, PROVIDER_KEY)
        .model("test/chat", "mock", "mock-chat")
        .model("test/tool", "mock", "mock-chat?tool=true")
        .model("test/long", "mock", "mock-chat?chunks=100000&interval=1ms")
        .model("test/no-usage", "mock", "fault/no-usage")
        .model("test/error-midway", "mock", "fault/error-midway:5")
        .model("test/cut", "mock", "fault/cut-fin:5")
        .model("test/unauthorized", "mock", "fault/401")
        .model("test/rate-limited", "mock", "fault/429:9")
        .model("test/context", "mock", "fault/context-length")
        .model("test/broken", "mock", "fault/503")
        .model("acme/m1", COUNTED, "mock-chat?chunks=2")
        .model("acme/cheap", COUNTED, "mock-chat?chunks=2")
        .model("acme/dear", COUNTED, "mock-chat?chunks=2")
        .completion("test/completion", new ConfigBuilder.Route("mock", "mock-completion"))
        .completion("test/completion-no-usage", new ConfigBuilder.Route("mock", "fault/no-usage"))
        .completion("test/completion-cut", new ConfigBuilder.Route("mock", "fault/cut-fin:5"))
        .speech("test/speech", new ConfigBuilder.Route("mock", "mock-speech"))
        .speech("test/speech-cut", new ConfigBuilder.Route("mock", "fault/cut-fin:5"))
        .transcription("test/hearing", new ConfigBuilder.Route("mock", "mock-hearing"))
        .transcriptionBySecond("test/whisper", new ConfigBuilder.Route("mock", "mock-whisper"))
        .image("test/image", new ConfigBuilder.Route("mock", "mock-image"))
        .image("acme/img", new ConfigBuilder.Route(COUNTED, "mock-image?ttft=0ms"))
        .embedding("test/embedding", new ConfigBuilder.Route("mock", "mock-embedding"))
        .embedding("test/embedding-no-usage", new ConfigBuilder.Route("mock", "fault/no-usage"))
        .embedding("acme/emb", new ConfigBuilder.Route(COUNTED, "mock-embedding?ttft=0ms"))
        .model("scripted/leave", "scripted", "leave")
        .model("doubtful/chat", "doubtful", "doubtful-chat")
        .model("doubtful/digits", "doubtful", "doubtful-digits")
        .image("scripted/image", new ConfigBuilder.Route("scripted", "image"))
        .model("scripted/costing", "scripted", "costing")
        .provider("routed", pricing(scriptedUrl, false))
        .provider("routed-freely", pricing(scriptedUrl, true))
        .model("routed/chat", "routed", "priced")
        .model("routed-freely/chat", "routed-freely", "priced")
        .model("scripted/canary", "scripted", "canary")
        .model(
            "scripted/late",
            new ConfigBuilder.Route("scripted", "late"),
            new ConfigBuilder.Route("scripted-two", "prompt"));
  }
}
