package dev.tollgate.server.cli.option;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where the configuration file is looked for. */
class ConfigFileTest {
  private static final Path OPTION = Path.of("option.yaml");
  private static final Map<String, String> NAMED = Map.of("TOLLGATE_CONFIG", "named.yaml");

  @TempDir Path folder;

  @Test
  void theFirstPlaceWins() throws IOException {
    Path here = folder.resolve("tollgate.yaml");
    Path etc = folder.resolve("etc.yaml");
    List<Path> places = List.of(here, etc);
    assertThat(ConfigFile.find(null, Map.of(), places)).isEmpty();

    Files.createFile(etc);
    assertThat(ConfigFile.find(null, Map.of(), places)).contains(etc);
    Files.createFile(here);
    assertThat(ConfigFile.find(null, Map.of("TOLLGATE_CONFIG", ""), places)).contains(here);
    assertThat(ConfigFile.find(null, NAMED, places)).contains(Path.of("named.yaml"));
    assertThat(ConfigFile.find(OPTION, NAMED, places)).contains(OPTION);
  }
}
