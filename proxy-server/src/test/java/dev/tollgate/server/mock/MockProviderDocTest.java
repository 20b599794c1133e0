package dev.tollgate.server.mock;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The documentation's table of faults is the code's. */
class MockProviderDocTest {
  @Test
  void docsListEveryFaultAsItIs() throws Exception {
    Path doc = Path.of(System.getProperty("tollgate.root"), "docs", "mock-provider.md");
    List<String> documented =
        Files.readAllLines(doc).stream().filter(line -> line.startsWith("| `fault/")).toList();
    List<String> coded =
        Faults.all().stream().map(MockFault::spec).map(MockProviderDocTest::row).toList();
    assertThat(documented).isEqualTo(coded);
  }

  private static String row(MockFault.Spec spec) {
    String k = spec.takesK() ? ":k" : "";
    String initial = spec.takesK() ? String.valueOf(spec.kDefault()) : "";
    return "| `fault/%s%s` | %s | %s |".formatted(spec.wireName(), k, initial, spec.does());
  }
}
