package dev.tollgate.server.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/** The file in {@code target/bench} that keeps the lines of one benchmark, run after run. */
public final class Results {
  private final Path file;

  private Results(Path file) {
    this.file = file;
  }

  public static Results of(String name) {
    return new Results(Path.of("target/bench", name + ".txt"));
  }

  public void print(String line) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  public static double percentile(List<Double> of, int percent) {
    List<Double> sorted = new ArrayList<>(of);
    sorted.sort(null);
    return sorted.get(Math.min(sorted.size() - 1, sorted.size() * percent / 100));
  }

  static double median(List<Double> of) {
    List<Double> sorted = new ArrayList<>(of);
    sorted.sort(null);
    return sorted.get(sorted.size() / 2);
  }
}
