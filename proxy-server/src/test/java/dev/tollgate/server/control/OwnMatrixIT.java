package dev.tollgate.server.control;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A call of each kind of route by each caller, without the shared corpora. */
final class OwnMatrixIT {
  @Test
  void eachCallerGetsItsStatus(@TempDir Path folder) throws Exception {
    List<String[]> table = table();
    List<MatrixRow> rows = MatrixRow.served(table);
    assertThat(rows).hasSameSizeAs(table);
    try (ControlNode node = ControlNode.start(folder)) {
      var walk = new MatrixWalk(node);
      walk.all(rows);
      walk.requireNothingWrong();
    }
  }

  private static List<String[]> table() throws Exception {
    try (InputStream table = OwnMatrixIT.class.getResourceAsStream("matrix.tsv")) {
      return new String(Objects.requireNonNull(table).readAllBytes(), UTF_8)
          .lines()
          .skip(2)
          .map(line -> line.split("\t", -1))
          .toList();
    }
  }
}
