package dev.tollgate.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** CPU and memory of a process, from files in the format of Linux. */
class ProcessCostTest {
  @TempDir private Path proc = Path.of("");

  private void thread(String id, long cpuNanos) throws IOException {
    Path folder = Files.createDirectories(proc.resolve("42/task").resolve(id));
    Files.writeString(folder.resolve("schedstat"), cpuNanos + " 17 3\n");
  }

  private void resident(long kib) throws IOException {
    Files.writeString(proc.resolve("42/status"), "Name:\tjava\nVmRSS:\t  " + kib + " kB\n");
  }

  @Test
  void onlyUseBetweenBeginAndEndCounts() throws IOException {
    ProcessCost cost = new ProcessCost(42, new ProcessFiles(proc, 42));
    thread("1", 5_000);
    thread("2", 1_000_000);
    resident(2_048);
    cost.begin();
    thread("1", 8_000);
    thread("3", 7_000);
    cost.end();
    thread("2", 9_000_000);
    cost.begin();
    thread("1", 9_000);
    resident(1_024);
    cost.end();

    assertThat(cost.result(10, 4))
        .isEqualTo(new ProcessCost.Result.Measured(42, 11_000, 2_048 << 10, 10, 4));
    var measured = (ProcessCost.Result.Measured) cost.result(10, 4);
    assertThat(measured.cpuMicrosPerRequest()).isEqualTo(1.1);
    assertThat(measured.cpuMicrosPerEvent()).isEqualTo(2.75);
  }

  @Test
  void unreadableFilesMakeTheCostUnavailable() {
    ProcessCost cost = new ProcessCost(43, new ProcessFiles(proc, 43));
    cost.begin();
    cost.end();
    assertThat(cost.result(1, 1))
        .isInstanceOfSatisfying(
            ProcessCost.Result.Unavailable.class,
            none -> assertThat(none.why()).contains("Linux only"));
  }

  @Test
  void theCommitIsReadFromTheEnclosingCheckout() throws IOException {
    Path git = Files.createDirectories(proc.resolve("checkout/.git/refs/heads"));
    Path inside = Files.createDirectories(proc.resolve("checkout/a/b"));
    Path folder = proc.resolve("checkout/.git");
    Files.writeString(folder.resolve("HEAD"), "ref: refs/heads/main\n");
    Files.writeString(folder.resolve("packed-refs"), "# pack\nabc123 refs/heads/main\n");
    assertThat(Commit.above(inside)).isEqualTo("abc123");
    Files.writeString(git.resolve("main"), "def456\n");
    assertThat(Commit.above(inside)).isEqualTo("def456");
    Files.writeString(folder.resolve("HEAD"), "0123abcd\n");
    assertThat(Commit.above(inside)).isEqualTo("0123abcd");
  }
}
