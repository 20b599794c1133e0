package dev.tollgate.server.ops;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tollgate.server.metrics.MetricFamily;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** {@code docs/operating.md} matches the code. */
final class OperatingDocumentTest {
  private static final Pattern METRIC_ROW =
      Pattern.compile("\\| `((?:tollgate|hikaricp)_\\w+)` \\| (\\w+) \\| (.*?) \\| (.*?) \\|");
  private static final Pattern ROUTE_ROW =
      Pattern.compile("\\| `(GET|POST) (/\\S+)` \\| (never|if set) \\|.*");

  private final List<String> lines = Files.readAllLines(document());

  OperatingDocumentTest() throws IOException {}

  @Test
  void everyMetricIsDocumentedAsItIs() {
    List<String> documented =
        lines.stream()
            .map(METRIC_ROW::matcher)
            .filter(row -> row.matches())
            .map(row -> row(row.group(1), row.group(2), row.group(3), row.group(4)))
            .toList();

    assertThat(documented)
        .containsExactlyElementsOf(
            MetricFamily.all().stream().map(OperatingDocumentTest::row).toList());
  }

  @Test
  void everyRouteIsDocumentedAsItIs() {
    List<String> documented =
        lines.stream()
            .map(ROUTE_ROW::matcher)
            .filter(row -> row.matches())
            .map(row -> row.group(1) + " " + row.group(2) + " " + row.group(3))
            .toList();

    assertThat(documented)
        .containsExactlyElementsOf(
            Arrays.stream(AdminRoute.values())
                .map(
                    route ->
                        route.method()
                            + " "
                            + route.path()
                            + (route.access() == AdminRoute.Access.OPEN ? " never" : " if set"))
                .toList());
  }

  @Test
  void everyFieldOfTheAccessLogIsDocumented() throws IOException {
    String document = String.join("\n", lines);

    var line = new ObjectMapper().readTree(new AccessLine(RequestRecords.streamed()).toString());
    assertThat(line.fieldNames())
        .toIterable()
        .isNotEmpty()
        .allSatisfy(name -> assertThat(document).contains("`" + name + "`"));
  }

  @Test
  void noOtherMetricIsNamed() {
    var known = MetricFamily.all().stream().map(MetricFamily::metric).collect(Collectors.toSet());

    assertThat(lines)
        .allSatisfy(
            line ->
                assertThat(
                        Pattern.compile("tollgate_[a-z_]+")
                            .matcher(line)
                            .results()
                            .map(result -> result.group()))
                    .isSubsetOf(known));
  }

  private static String row(MetricFamily family) {
    String labels =
        family.labels().stream().map(label -> "`" + label + "`").collect(Collectors.joining(", "));
    return row(
        family.metric(),
        family.type().name().toLowerCase(Locale.ROOT),
        labels.isEmpty() ? "–" : labels,
        family.help());
  }

  private static String row(String... cells) {
    return String.join(" | ", cells);
  }

  private static Path document() {
    return Path.of(System.getProperty("tollgate.root", ".."), "docs", "operating.md");
  }
}
