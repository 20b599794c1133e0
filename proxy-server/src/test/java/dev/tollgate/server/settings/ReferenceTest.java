package dev.tollgate.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tollgate.server.settings.yaml.ConfigNode;
import dev.tollgate.server.settings.yaml.Problems;
import dev.tollgate.server.settings.yaml.YamlText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The reference file agrees with the description of the settings, key by key. */
final class ReferenceTest {
  /** Keys that the reference shows in comments, because another form is the default. */
  private static final Set<String> COMMENTED =
      Set.of(
          "listeners.api.tls.",
          "listeners.api.cors.",
          "listeners.control.tls.",
          "model_aliases.",
          "object_storage.",
          "providers.*.api_keys.",
          "providers.*.on_disconnect.");

  /** Keys for which the reference has an example instead of the default. */
  private static final Set<String> EXAMPLES =
      Set.of(
          "providers.*.api_key",
          "providers.*.base_url",
          "providers.*.quirks.stream_options",
          "providers.*.quirks.prefill",
          "providers.*.quirks.developer_role",
          "providers.*.quirks.json_schema",
          "providers.*.quirks.call_ids",
          "providers.*.quirks.reasoning",
          "providers.*.quirks.user_after_tool",
          "providers.*.quirks.calls_need_reasoning",
          "providers.*.quirks.allowed_tools",
          "models.*.name",
          "models.*.context_length",
          "models.*.max_output_tokens",
          "models.*.default_duration_seconds",
          "models.*.capabilities");

  private static final Pattern PRICES = Pattern.compile("models\\.\\*\\.price\\..*");

  /** Has the keys of a price, which the reference shows there. */
  private static final String COST = "models.*.routes.cost.";

  private static final String PRICE = "models.*.price.";

  private final Map<String, List<ConfigNode>> written = new LinkedHashMap<>();
  private String text = "";

  @BeforeEach
  void readReference() throws IOException {
    text = Files.readString(ShippedFilesTest.folder().resolve("reference.yaml"));
    collect(YamlText.parse("reference.yaml", text, new Problems()).orElseThrow(), "");
  }

  /** Collects the paths of the reference; names that an operator chooses become {@code *}. */
  private void collect(ConfigNode node, String path) {
    switch (node) {
      case ConfigNode.Mapping mapping ->
          mapping
              .entries()
              .forEach(
                  (key, entry) -> {
                    String at = path.isEmpty() ? key : path + "." + key;
                    boolean named = path.equals("providers") || path.equals("models");
                    String generic = named ? path + ".*" : at;
                    written.computeIfAbsent(generic, _ -> new ArrayList<>()).add(entry.value());
                    collect(entry.value(), generic);
                  });
      case ConfigNode.Sequence sequence -> sequence.items().forEach(item -> collect(item, path));
      case ConfigNode.Scalar _ -> {
        // The mapping has noted this leaf under its key.
      }
    }
  }

  @Test
  void everyDescribedKeyIsInTheReference() {
    Set<String> missing = new LinkedHashSet<>();
    for (String path : described().keySet()) {
      boolean commented = COMMENTED.stream().anyMatch(path::startsWith);
      String key = path.substring(path.lastIndexOf('.') + 1);
      boolean shown =
          commented
              ? Pattern.compile("(?m)^\\s*#.*\\b" + key + ":").matcher(text).find()
              : written.containsKey(path.replace(COST, PRICE));
      if (!shown) {
        missing.add(path);
      }
    }
    assertThat(missing).isEmpty();
  }

  @Test
  void everyKeyOfTheReferenceIsDescribed() {
    Set<String> unknown = new LinkedHashSet<>(written.keySet());
    unknown.removeAll(described().keySet());
    unknown.removeIf(path -> path.endsWith(".*"));
    assertThat(unknown).isEmpty();
  }

  @Test
  void everyDefaultOfTheReferenceIsTheDescribedOne() {
    Map<String, String> wrong = new LinkedHashMap<>();
    described()
        .forEach(
            (path, schema) -> {
              JsonNode usual = schema.get("default");
              if (usual == null || EXAMPLES.contains(path) || PRICES.matcher(path).matches()) {
                return;
              }
              for (ConfigNode node : written.getOrDefault(path, List.of())) {
                if (!print(node).equals(usual.isNull() ? "null" : print(usual))) {
                  wrong.put(path, print(node));
                }
              }
            });
    assertThat(wrong).isEmpty();
  }

  @Test
  void theReferenceHasTheSettingsOfAnEmptyFile() {
    Path file = ShippedFilesTest.folder().resolve("reference.yaml");
    Settings reference = ((LoadResult.Valid) ShippedFilesTest.load(file)).settings();
    Settings empty =
        InMemoryConfig.of("version: 1")
            .set("store.data_dir=" + file.resolveSibling("data").toAbsolutePath())
            .settings();
    assertThat(reference)
        .usingRecursiveComparison()
        .ignoringFields("providers", "models")
        .isEqualTo(empty);
  }

  /** Returns the description by path, taken from the schema. */
  private static Map<String, JsonNode> described() {
    Map<String, JsonNode> found = new LinkedHashMap<>();
    try {
      describe(new ObjectMapper().readTree(Settings.schema()), "", found);
    } catch (IOException e) {
      throw new AssertionError("the schema is JSON", e);
    }
    return found;
  }

  private static void describe(JsonNode schema, String path, Map<String, JsonNode> found) {
    for (String keyword : List.of("anyOf", "oneOf")) {
      schema.path(keyword).forEach(choice -> describe(choice, path, found));
    }
    if (schema.path("items").isObject()) {
      describe(schema.get("items"), path, found);
    }
    boolean named = path.equals("providers") || path.equals("models");
    if (named) {
      describe(schema.path("additionalProperties"), path + ".*", found);
    }
    schema
        .path("properties")
        .properties()
        .forEach(
            property -> {
              String at = path.isEmpty() ? property.getKey() : path + "." + property.getKey();
              found.putIfAbsent(at, property.getValue());
              describe(property.getValue(), at, found);
            });
  }

  private static String print(ConfigNode node) {
    return switch (node) {
      case ConfigNode.Scalar scalar -> scalar.text();
      case ConfigNode.Sequence sequence ->
          sequence.items().stream().map(ReferenceTest::print).toList().toString();
      case ConfigNode.Mapping _ -> "{}";
    };
  }

  private static String print(JsonNode json) {
    if (json.isArray()) {
      List<String> items = new ArrayList<>();
      json.forEach(item -> items.add(print(item)));
      return items.toString();
    }
    return json.isObject() ? "{}" : json.asText();
  }
}
