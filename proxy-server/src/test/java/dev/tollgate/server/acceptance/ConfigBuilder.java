package dev.tollgate.server.acceptance;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Builder of a configuration, written as JSON, which is YAML too. The configuration listens on free
 * loopback ports and drains without delay.
 */
final class ConfigBuilder {
  static final Map<String, String> PRICE =
      Map.of("input", "0.15", "cached_input", "0.075", "output", "0.60");

  /** Limits for tests that do not set their own: the defaults are lower than the rates of tests. */
  private static final Map<String, ?> NO_LIMITS =
      Map.of(
          "global", Map.of("requests_per_second", 0),
          "org", Map.of("requests_per_second", 0, "requests_per_minute", 0),
          "key", Map.of("requests_per_second", 0, "requests_per_minute", 0, "concurrency", 0));

  private final Map<String, Object> root = new LinkedHashMap<>();
  private final Map<String, Object> listeners = new LinkedHashMap<>();
  private final Map<String, Object> providers = new LinkedHashMap<>();
  private final Map<String, Object> models = new LinkedHashMap<>();

  private ConfigBuilder() {
    root.put("version", 1);
    root.put("listeners", listeners);
    listeners.put("control", noAddress());
    listen(Map.of());
    root.put("server", Map.of("shutdown", Map.of("delay", "0s", "timeout", "60s")));
    root.put("store", Map.of("url", "embedded", "data_dir", "./data"));
    root.put("providers", providers);
    root.put("models", models);
    root.put("limits", NO_LIMITS);
    root.put("bootstrap", Map.of("organization", "acceptance", "credit", "1000.00"));
  }

  static ConfigBuilder empty() {
    return new ConfigBuilder();
  }

  /** Adds settings to the API listener. */
  ConfigBuilder listen(Map<String, ?> api) {
    Map<String, Object> listener = new LinkedHashMap<>(api);
    listener.put("address", "127.0.0.1:0");
    listeners.put("api", listener);
    return this;
  }

  /** Adds the control plane's listener, without bounds of the rate of calls. */
  ConfigBuilder control() {
    listeners.put("control", Map.of("address", "127.0.0.1:0"));
    return section(
        "control_plane", Map.of("rate", Map.of("per_second", 10_000, "per_minute", 600_000)));
  }

  private static Map<String, Object> noAddress() {
    Map<String, Object> control = new LinkedHashMap<>();
    control.put("address", null);
    return control;
  }

  /** Adds the bundled provider, without delays. */
  ConfigBuilder mock(String id) {
    return provider(
        id, Map.of("type", "mock", "ttft", "2ms", "chunk_interval", "1ms", "chunks", 12));
  }

  /** Adds a provider at this address, with this key. */
  ConfigBuilder openAi(String id, String baseUrl, String apiKey) {
    return provider(id, Map.of("type", "openai", "base_url", baseUrl, "api_key", apiKey));
  }

  /**
   * Tests of faults share a provider: its circuit stays closed unless a test sets its threshold.
   */
  ConfigBuilder provider(String id, Map<String, ?> settings) {
    Map<String, Object> all = new LinkedHashMap<>(settings);
    if (!"mock".equals(settings.get("type"))) {
      all.putIfAbsent("circuit", Map.of("failures", 1_000));
    }
    providers.put(id, all);
    return this;
  }

  /** Adds a chat model at the usual price. */
  ConfigBuilder model(String id, String provider, String upstreamModel) {
    return model(id, provider, upstreamModel, PRICE);
  }

  ConfigBuilder model(String id, String provider, String upstreamModel, Map<String, String> price) {
    return model(id, price, List.of(Map.of("provider", provider, "model", upstreamModel)));
  }

  /** Adds a chat model at the usual price, at a provider and a fallback provider. */
  ConfigBuilder model(String id, Route first, Route second) {
    return model(id, PRICE, List.of(first.settings(1), second.settings(2)));
  }

  /** Returns a route to a model's name at a provider. */
  record Route(String provider, String model) {
    private Map<String, ?> settings(int priority) {
      return Map.of("provider", provider, "model", model, "priority", priority);
    }
  }

  /** Adds a chat model whose requests reserve this many output tokens. */
  ConfigBuilder model(String id, Route route, Map<String, String> price, int reserved) {
    return model(id, price, List.of(route.settings(1)), reserved);
  }

  private ConfigBuilder model(String id, Map<String, String> price, List<Map<String, ?>> routes) {
    return model(id, price, routes, 4096);
  }

  private ConfigBuilder model(
      String id, Map<String, String> price, List<Map<String, ?>> routes, int reserved) {
    models.put(
        id,
        Map.of(
            "reserve_output_tokens",
            reserved,
            "modality",
            "chat",
            "context_length",
            128_000,
            "capabilities",
            List.of("streaming", "tools", "vision", "json_schema"),
            "price",
            price,
            "routes",
            routes));
    return this;
  }

  /** Adds a transcription model at 2.50 USD for a million input tokens and 10 for output tokens. */
  ConfigBuilder transcription(String id, Route route) {
    return model(id, "transcription", Map.of("input", "2.50", "output", "10"), route);
  }

  /** Adds a transcription model at 0.1 cents for ten seconds. */
  ConfigBuilder transcriptionBySecond(String id, Route route) {
    return model(id, "transcription", Map.of("audio_second", "0.0001"), route);
  }

  /** Adds a speech model at 15 USD for a million characters. */
  ConfigBuilder speech(String id, Route route) {
    return model(id, "speech", Map.of("characters", "15"), route);
  }

  /** Adds an image model at 4 cents an image. */
  ConfigBuilder image(String id, Route route) {
    return model(id, "image", Map.of("image", "0.04"), route);
  }

  /** Adds an embedding model at 20 micro-USD a thousand tokens. */
  ConfigBuilder embedding(String id, Route route) {
    return model(id, "embedding", Map.of("input", "0.02"), route);
  }

  /** Adds a completion model at the usual price. */
  ConfigBuilder completion(String id, Route route) {
    return model(id, "completion", PRICE, route);
  }

  /** Adds a video model at a tenth of a cent for a second. */
  ConfigBuilder video(String id, Route route) {
    return model(
        id,
        Map.of(
            "modality",
            "video",
            "default_duration_seconds",
            1,
            "price",
            Map.of("video_second", "0.001"),
            "routes",
            List.of(Map.of("provider", route.provider(), "model", route.model()))));
  }

  /** Allows clients' URLs at a port of this machine. */
  ConfigBuilder urlsHere(int port) {
    return section(
        "security",
        Map.of("ssrf", Map.of("ports", List.of(port), "allow_cidrs", List.of("127.0.0.1/32"))));
  }

  /** Adds a model of another modality than chat. */
  ConfigBuilder model(String id, String modality, Map<String, String> price, Route route) {
    return model(
        id,
        Map.of(
            "modality",
            modality,
            "context_length",
            8_192,
            "price",
            price,
            "routes",
            List.of(route.settings(1))));
  }

  /** Adds a model with exactly these settings. */
  ConfigBuilder model(String id, Map<String, ?> settings) {
    models.put(id, settings);
    return this;
  }

  /** Replaces a whole section. */
  ConfigBuilder section(String name, Map<String, ?> settings) {
    root.put(name, settings);
    return this;
  }

  /** Replaces a whole list. */
  ConfigBuilder list(String name, List<?> entries) {
    root.put(name, entries);
    return this;
  }

  /** Writes the configuration to a file, with the admin listener on this port. */
  String text(int adminPort) {
    listeners.put("admin", Map.of("address", "127.0.0.1:" + adminPort));
    try {
      return new ObjectMapper().writerWithDefaultPrettyPrinter().writeValueAsString(root);
    } catch (JsonProcessingException e) {
      throw new AssertionError(e);
    }
  }
}
