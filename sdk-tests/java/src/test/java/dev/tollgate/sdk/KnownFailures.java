package dev.tollgate.sdk;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/**
 * Cases that fail, with the reason why this is not the gateway's to mend: a table in the resources.
 * A case of the table that no longer fails fails the test, so that the table only gets shorter.
 */
final class KnownFailures {
  private static final String FILE = "known-failures.tsv";
  private static final List<Row> ROWS = rows();

  /** A row: cases, where {@code *} stands for any word, and a part of what they fail with. */
  record Row(String cases, String failure, String reason) {
    boolean isAbout(String one) {
      return one.matches("\\Q" + cases.replace("*", "\\E[^ ]+\\Q") + "\\E");
    }
  }

  private KnownFailures() {}

  static List<Row> all() {
    return ROWS;
  }

  /** Runs a case, which must pass unless the table has it; then it must fail in that way. */
  static void check(String one, ThrowingCallable body) throws Throwable {
    Optional<Row> known = ROWS.stream().filter(row -> row.isAbout(one)).findFirst();
    if (known.isEmpty()) {
      body.call();
      return;
    }
    Throwable failure = catchThrowable(body);
    assertThat(failure).as("no longer fails, take it out of %s: %s", FILE, one).isNotNull();
    assertThat(failure.toString()).contains(known.get().failure);
  }

  private static List<Row> rows() {
    try (InputStream file = KnownFailures.class.getResourceAsStream("/" + FILE)) {
      return new String(Objects.requireNonNull(file).readAllBytes(), UTF_8)
          .lines()
          .filter(line -> !line.startsWith("#"))
          .map(line -> line.split("\t", -1))
          .map(columns -> new Row(columns[0], columns[1], columns[2]))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
