package dev.tollgate.mock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.mock.media.MediaFault;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The documented faults equal those of the code. */
class MockProviderDocTest {
  @Test
  void docsListEveryFaultAsItIs() throws Exception {
    Path doc = Path.of(System.getProperty("tollgate.root"), "docs", "mock-provider.md");
    List<String> documented =
        Files.readAllLines(doc).stream().filter(line -> line.startsWith("| `fault/")).toList();
    List<String> coded =
        Stream.concat(
                FaultCatalog.all().stream().map(MockFault::spec).map(MockProviderDocTest::row),
                Stream.of(MediaFault.values()).map(MockProviderDocTest::row))
            .toList();
    assertThat(documented).isEqualTo(coded);
  }

  private static String row(MockFault.Spec spec) {
    return row(spec.wireName(), spec.takesK(), spec.kDefault(), spec.description());
  }

  private static String row(MediaFault fault) {
    return row(fault.wireName(), fault.takesK(), fault.kDefault(), fault.description());
  }

  private static String row(String wireName, boolean takesK, int kDefault, String does) {
    String k = takesK ? ":k" : "";
    String initial = takesK ? String.valueOf(kDefault) : "";
    return "| `fault/%s%s` | %s | %s |".formatted(wireName, k, initial, does);
  }
}
