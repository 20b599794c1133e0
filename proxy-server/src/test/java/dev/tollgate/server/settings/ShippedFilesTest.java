package dev.tollgate.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.server.settings.yaml.ProcessEnvironment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Every shipped configuration file loads. */
final class ShippedFilesTest {
  private static final Map<String, String> ENVIRONMENT = Map.of("OPENAI_API_KEY", "sk-test");

  @TestFactory
  Stream<DynamicTest> everyShippedFileLoads() throws IOException {
    try (Stream<Path> files = Files.list(folder())) {
      return files
          .filter(file -> file.toString().endsWith(".yaml"))
          .map(
              file ->
                  DynamicTest.dynamicTest(
                      file.getFileName().toString(),
                      () -> assertThat(load(file)).isInstanceOf(LoadResult.Valid.class)))
          .toList()
          .stream();
    }
  }

  static LoadResult load(Path file) {
    var surroundings = new ProcessEnvironment(ENVIRONMENT, Files::readString);
    return new SettingsLoader(surroundings).load(file, List.of());
  }

  static Path folder() {
    String root = System.getProperty("tollgate.root");
    return Path.of(Objects.requireNonNull(root, "tollgate.root")).resolve("config");
  }
}
