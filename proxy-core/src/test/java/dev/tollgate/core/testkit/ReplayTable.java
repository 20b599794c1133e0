package dev.tollgate.core.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.jupiter.params.ParameterizedTest;

/**
 * Table of the recordings that a test class replays: a row for each, with its summary and what the
 * tests verified. The table is printed and must be in docs/providers.md; a run with {@code
 * -Dtollgate.docs.write=true} writes it there.
 */
public final class ReplayTable implements InvocationInterceptor, AfterAllCallback {
  private static final Path DOCS =
      Path.of(System.getProperty("tollgate.root", ".."), "docs", "providers.md");
  private static final String TRUE = "yes";
  private static final String FALSE = "NO";

  private final Set<Method> ran = new HashSet<>();
  private final Set<String> claims = new TreeSet<>();
  private final Map<String, Row> rows = new TreeMap<>();

  /** Recording with a row in the table. */
  public interface Recorded {
    /** Returns provider and case, such as {@code acme/stream-tools--m1}. */
    String name();

    /** Returns a short summary of the recording. */
    String summary();
  }

  private record Row(String summary, Map<String, String> found) {}

  @Override
  public void interceptTestTemplateMethod(
      Invocation<Void> invocation, ReflectiveInvocationContext<Method> test, ExtensionContext in)
      throws Throwable {
    ran.add(test.getExecutable());
    if (!(test.getArguments().getFirst() instanceof Recorded one)) {
      invocation.proceed();
      return;
    }
    String claim = words(test.getExecutable().getName());
    put(one, claim, FALSE);
    invocation.proceed();
    put(one, claim, TRUE);
  }

  private synchronized void put(Recorded one, String claim, String found) {
    claims.add(claim);
    rows.computeIfAbsent(one.name(), _ -> new Row(one.summary(), new TreeMap<>()))
        .found()
        .put(claim, found);
  }

  /** {@code aStreamIsCut} becomes {@code a stream is cut}. */
  private static String words(String name) {
    return name.replaceAll("(?=[A-Z])", " ").toLowerCase(Locale.ROOT);
  }

  @Override
  public void afterAll(ExtensionContext context) throws IOException {
    String name = context.getRequiredTestClass().getSimpleName();
    String table = table();
    System.getLogger(name).log(System.Logger.Level.INFO, table);
    if (!ran.containsAll(replays(context.getRequiredTestClass()))) {
      return; // only a part of the tests was selected
    }
    String begin = "<!-- recordings: " + name + " -->\n";
    String end = "<!-- end of recordings: " + name + " -->";
    String docs = Files.readString(DOCS);
    int from = docs.indexOf(begin);
    int to = docs.indexOf(end);
    assertThat(from).as("docs/providers.md has a place for %s", name).isNotNegative();
    if (Boolean.getBoolean("tollgate.docs.write")) {
      Files.writeString(
          DOCS, docs.substring(0, from + begin.length()) + table + docs.substring(to));
      return;
    }
    assertThat(docs.substring(from + begin.length(), to))
        .as("docs/providers.md holds this table; -Dtollgate.docs.write=true writes it")
        .isEqualTo(table);
  }

  private static Set<Method> replays(Class<?> test) {
    return Arrays.stream(test.getDeclaredMethods())
        .filter(each -> each.isAnnotationPresent(ParameterizedTest.class))
        .collect(Collectors.toSet());
  }

  private String table() {
    StringBuilder table = new StringBuilder("\n| recording | says |");
    claims.forEach(claim -> table.append(' ').append(claim).append(" |"));
    table.append("\n|---|---|").append("---|".repeat(claims.size())).append('\n');
    rows.forEach(
        (name, row) ->
            table.append(
                "| `%s` | %s | %s |%n"
                    .formatted(name, row.summary(), String.join(" | ", found(row)))));
    return table.append('\n').toString();
  }

  private List<String> found(Row row) {
    return claims.stream()
        .map(claim -> row.found().getOrDefault(claim, "–"))
        .collect(Collectors.toList());
  }
}
