package dev.tollgate.server.ops;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.server.metrics.Metrics;
import dev.tollgate.server.ops.ConfigReload.ReadResult;
import dev.tollgate.server.ops.ConfigReload.Result;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class ConfigReloadTest {
  private final Deque<ReadResult<String>> files = new ArrayDeque<>();
  private final List<String> inUse = new ArrayList<>();
  private final ConfigReload<String> reload = new ConfigReload<>(files::pop, inUse::add);
  private final Metrics metrics = new Metrics();

  @BeforeEach
  void register() {
    reload.register(metrics);
  }

  @Test
  void aValidFileIsLoaded() throws IOException {
    files.add(new ReadResult.Valid<>("second"));

    assertThat(reload.now()).isEqualTo(new Result.Swapped());

    assertThat(inUse).containsExactly("second");
    assertThat(metrics.scrape(null).text())
        .contains(
            "tollgate_config_reloads_total 1.0",
            "tollgate_config_reload_failures_total 0.0",
            "tollgate_config_last_reload_successful 1.0");
  }

  @Test
  void anInvalidFileChangesNothingAndReportsAllProblems() throws IOException {
    List<String> problems = List.of("3:1 unknown key 'modles'", "9:5 no such provider");
    files.add(new ReadResult.Invalid<>(problems));

    assertThat(reload.now()).isEqualTo(new Result.Refused(problems));

    assertThat(inUse).isEmpty();
    assertThat(metrics.scrape(null).text())
        .contains(
            "tollgate_config_reloads_total 0.0",
            "tollgate_config_reload_failures_total 1.0",
            "tollgate_config_last_reload_successful 0.0");
  }

  @Test
  void theFailureMetricClearsWithTheNextValidFile() throws IOException {
    files.add(new ReadResult.Invalid<>(List.of("bad")));
    files.add(new ReadResult.Valid<>("third"));
    reload.now();
    reload.now();

    assertThat(inUse).containsExactly("third");
    assertThat(metrics.scrape(null).text())
        .contains(
            "tollgate_config_reload_failures_total 1.0",
            "tollgate_config_last_reload_successful 1.0");
  }

  @Test
  void aReaderThatFailsIsARefusal() {
    assertThat(reload.now()).isInstanceOf(Result.Refused.class);
    assertThat(inUse).isEmpty();
  }
}
