package dev.tollgate.server.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.catalog.Strategy;
import dev.tollgate.core.dialect.PricedOption;
import dev.tollgate.core.dialect.UpstreamFailure;
import dev.tollgate.core.exchange.frame.Phase;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.routing.Exclusion;
import dev.tollgate.core.upstream.ConnectFault;
import dev.tollgate.server.account.Permission;
import dev.tollgate.server.account.Role;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The tables in docs/ say what the code says. */
class DocsMatchCodeTest {
  private static final Path ROOT = Path.of(System.getProperty("tollgate.root", ".."));
  private static final Pattern HANDLER = Pattern.compile("addLast\\(\\s*\"([a-z-]+)\"");

  @Test
  void thePackagesOfTheCoreAreThoseOfTheOrder() throws IOException {
    assertThat(column(table("docs/architecture.md", "packages: core"), 0))
        .isEqualTo(PackageOrder.CORE);
  }

  @Test
  void thePackagesOfTheServerAreThoseOfTheOrder() throws IOException {
    assertThat(column(table("docs/architecture.md", "packages: server"), 0))
        .containsExactlyInAnyOrderElementsOf(PackageOrder.SERVER.keySet());
  }

  @Test
  void theModulesAreThoseOfTheBuild() throws IOException {
    List<String> modules = new ArrayList<>();
    Matcher module =
        Pattern.compile("<module>([^<]+)</module>")
            .matcher(Files.readString(ROOT.resolve("pom.xml")));
    while (module.find()) {
      modules.add(module.group(1));
    }
    assertThat(modules).containsAll(Checkout.MODULES);
    assertThat(column(table("docs/architecture.md", "modules"), 1))
        .containsExactlyInAnyOrderElementsOf(modules);
  }

  @Test
  void theHandlersStandInTheOrderOfThePipeline() throws IOException {
    String source =
        Files.readString(
            ROOT.resolve(
                "proxy-core/src/main/java/dev/tollgate/core/pipeline/DownstreamPipeline.java"));
    List<String> handlers = new ArrayList<>();
    Matcher added = HANDLER.matcher(source);
    while (added.find()) {
      handlers.add(added.group(1));
    }
    assertThat(handlers).hasSizeGreaterThan(8);
    assertThat(column(table("docs/life-of-a-request.md", "handlers"), 0)).isEqualTo(handlers);
  }

  @Test
  void thePhasesAndTheirTransitionsAreTheTable() throws IOException {
    List<List<String>> rows = table("docs/life-of-a-request.md", "phases");
    assertThat(column(rows, 0)).isEqualTo(Arrays.stream(Phase.values()).map(Phase::wire).toList());
    assertThat(column(rows, 2))
        .isEqualTo(
            Arrays.stream(Phase.values())
                .map(
                    phase ->
                        phase.next().stream().map(Phase::wire).collect(Collectors.joining(", ")))
                .toList());
  }

  @Test
  void everyErrorCodeIsListedWithStatusTypeAndRetry() throws IOException {
    assertThat(table("docs/errors.md", "codes"))
        .isEqualTo(
            Arrays.stream(ErrorCode.values())
                .map(
                    code ->
                        List.of(
                            Integer.toString(code.status()),
                            code.wire(),
                            code.type().wire(),
                            switch (code.clientRetry()) {
                              case YES -> "yes";
                              case NO -> "no";
                              case WITH_RETRY_AFTER_ONLY -> "with retry_after only";
                            }))
                .toList());
  }

  @Test
  void theRolesHaveThePermissionsOfTheTable() throws IOException {
    List<List<String>> expected = new ArrayList<>();
    for (Permission permission : Permission.values()) {
      List<String> row = new ArrayList<>(List.of(permission.wire()));
      for (Role role : Role.values()) {
        row.add(role.permissions().contains(permission) ? "yes" : "");
      }
      expected.add(row);
    }
    List<List<String>> rows = new ArrayList<>();
    for (List<String> row : table("docs/control-plane.md", "roles")) {
      List<String> withoutText = new ArrayList<>(row);
      withoutText.remove(1);
      rows.add(withoutText);
    }
    assertThat(rows).isEqualTo(expected);
  }

  @Test
  void theTablesOfRoutingAreComplete() throws IOException {
    assertThat(column(table("docs/routing.md", "strategies"), 0))
        .isEqualTo(Arrays.stream(Strategy.values()).map(Strategy::wire).toList());
    assertThat(column(table("docs/routing.md", "exclusions"), 0))
        .isEqualTo(Arrays.stream(Exclusion.Reason.values()).map(Exclusion.Reason::wire).toList());
    assertThat(table("docs/routing.md", "outcomes"))
        .isEqualTo(
            Arrays.stream(UpstreamFailure.Kind.values())
                .map(
                    kind ->
                        List.of(lower(kind), lower(UpstreamFailure.of(kind, "").circuitEffect())))
                .toList());
  }

  @Test
  void theReasonsWithoutAConnectionAreListed() throws IOException {
    assertThat(table("docs/networks.md", "connect faults").stream().map(List::getFirst))
        .containsExactlyElementsOf(
            Arrays.stream(ConnectFault.values()).map(ConnectFault::wire).toList());
  }

  /** A newcomer adds a dialect in under 150 lines: the one that the manual shows is that short. */
  @Test
  void theFictitiousDialectIsAsShortAsTheManualSays() throws IOException {
    Path tests = ROOT.resolve("proxy-core/src/test/java/dev/tollgate/core/dialect");
    int all = 0;
    for (List<String> row : table("docs/adding-a-provider.md", "the fictitious dialect")) {
      Path file = tests.resolve(row.getFirst() + ".java");
      assertThat(file).exists();
      if (!row.get(1).equals("–")) {
        int lines = Integer.parseInt(row.get(1));
        assertThat(codeLines(file)).as(row.getFirst()).isEqualTo(lines);
        all += lines;
      }
    }
    assertThat(all).isBetween(50, 149);
  }

  @ParameterizedTest
  @ValueSource(strings = {"bedrock", "ollama"})
  void aProviderIsNamedOutsideItsPackageOnlyWhereTheManualSays(String provider) throws IOException {
    List<String> registration = column(table("docs/adding-a-provider.md", "registration"), 0);
    List<String> found = new ArrayList<>();
    for (String sources : List.of("proxy-core/src/main", "proxy-server/src/main")) {
      try (Stream<Path> files = Files.walk(ROOT.resolve(sources))) {
        for (Path file : files.filter(Files::isRegularFile).toList()) {
          String name = ROOT.relativize(file).toString();
          boolean inPackage = name.contains("/core/dialect/" + provider + "/");
          if (!inPackage && mentions(file, provider)) {
            found.add(name);
          }
        }
      }
    }
    assertThat(mentions(ROOT.resolve("config/reference.yaml"), "type: " + provider)).isTrue();
    found.add("config/reference.yaml");
    assertThat(found).containsExactlyInAnyOrderElementsOf(registration).hasSize(3);
  }

  private static boolean mentions(Path file, String text) throws IOException {
    String content = Files.readString(file, StandardCharsets.ISO_8859_1);
    return content.toLowerCase(Locale.ROOT).contains(text);
  }

  private static int codeLines(Path file) throws IOException {
    return (int)
        Files.readAllLines(file).stream()
            .filter(line -> !line.isBlank() && !line.matches("(import|package) .*"))
            .count();
  }

  private static String lower(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  /** The rows of the table behind a marker comment, without head and rule. */
  @Test
  void theOptionsAtAnotherPriceAreTheList() throws IOException {
    List<List<String>> rows = table("docs/providers.md", "priced options");
    assertThat(column(rows, 0))
        .isEqualTo(Arrays.stream(PricedOption.values()).map(PricedOption::wire).toList());
    assertThat(column(rows, 1))
        .isEqualTo(Arrays.stream(PricedOption.values()).map(PricedOption::requests).toList());
    assertThat(column(rows, 2))
        .isEqualTo(
            Arrays.stream(PricedOption.values())
                .map(option -> option.free().stream().sorted().collect(Collectors.joining(", ")))
                .toList());
    assertThat(column(table("docs/providers.md", "priced options of other types"), 1))
        .containsExactly(
            String.join(", ", PricedOption.OF_MESSAGES),
            String.join(", ", PricedOption.OF_CONVERSE),
            "");
  }

  private static List<List<String>> table(String file, String marker) throws IOException {
    List<String> lines = Files.readAllLines(ROOT.resolve(file));
    int start = lines.indexOf("<!-- " + marker + " -->");
    assertThat(start).as("marker %s in %s", marker, file).isNotNegative();
    return lines.stream()
        .skip(start + 3L)
        .takeWhile(line -> line.startsWith("|"))
        .map(DocsMatchCodeTest::cells)
        .toList();
  }

  private static List<String> cells(String row) {
    String[] cells = row.substring(1, row.lastIndexOf('|')).split("\\|", -1);
    return Arrays.stream(cells).map(cell -> cell.strip().replace("`", "")).toList();
  }

  private static List<String> column(List<List<String>> rows, int index) {
    return rows.stream().map(row -> row.get(index)).toList();
  }
}
