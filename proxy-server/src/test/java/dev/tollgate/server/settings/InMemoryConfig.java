package dev.tollgate.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.server.settings.yaml.Problem;
import dev.tollgate.server.settings.yaml.ProcessEnvironment;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Loads configurations from memory: the main file is {@code /etc/gw/gateway.yaml}. */
final class InMemoryConfig {
  static final Path FOLDER = Path.of("/etc/gw");
  private static final Path MAIN = FOLDER.resolve("gateway.yaml");

  private final Map<String, String> environment = new LinkedHashMap<>();
  private final Map<Path, String> files = new LinkedHashMap<>();
  private final List<String> sets = new ArrayList<>();

  static InMemoryConfig of(String yaml) {
    var loading = new InMemoryConfig();
    loading.files.put(MAIN, yaml);
    return loading;
  }

  InMemoryConfig env(String name, String value) {
    environment.put(name, value);
    return this;
  }

  /** Adds a file; a relative name is in the folder of the main file. */
  InMemoryConfig file(String name, String text) {
    files.put(FOLDER.resolve(name), text);
    return this;
  }

  InMemoryConfig set(String option) {
    sets.add(option);
    return this;
  }

  LoadResult load() {
    return load(SettingsPart.ALL);
  }

  LoadResult load(SettingsPart part) {
    return new SettingsLoader(new ProcessEnvironment(environment, this::read))
        .load(MAIN, sets, part);
  }

  /** Returns the settings, which must be valid. */
  Settings settings() {
    LoadResult loaded = load();
    assertThat(loaded).isInstanceOf(LoadResult.Valid.class);
    return ((LoadResult.Valid) loaded).settings();
  }

  /** Returns the warnings of a valid configuration, as printed. */
  List<String> warnings() {
    return switch (load()) {
      case LoadResult.Valid(var _, var warnings) -> printed(warnings);
      case LoadResult.Invalid(var problems) ->
          throw new AssertionError("not valid: " + printed(problems));
    };
  }

  /** Returns the problems, or the warnings of a valid configuration. */
  List<String> complaints() {
    return switch (load()) {
      case LoadResult.Valid(var _, var warnings) -> printed(warnings);
      case LoadResult.Invalid(var problems) -> printed(problems);
    };
  }

  /** Returns the problems as printed, with {@code gateway.yaml} as name of the main file. */
  List<String> problems() {
    return switch (load()) {
      case LoadResult.Valid _ -> List.of();
      case LoadResult.Invalid(var problems) -> printed(problems);
    };
  }

  private static List<String> printed(List<Problem> problems) {
    return problems.stream().map(p -> p.toString().replace(FOLDER + "/", "")).toList();
  }

  private String read(Path file) throws NoSuchFileException {
    @Nullable String text = files.get(file);
    if (text == null) {
      throw new NoSuchFileException(file.toString());
    }
    return text;
  }
}
