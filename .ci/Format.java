import com.google.googlejavaformat.java.Formatter;
import com.google.googlejavaformat.java.FormatterException;
import com.google.googlejavaformat.java.ImportOrderer;
import com.google.googlejavaformat.java.JavaFormatterOptions;
import com.google.googlejavaformat.java.RemoveUnusedImports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Formatter of all Java sources of the checkout, or check that they are formatted. The root pom
 * runs it as a single file ({@code java Format.java check|write <root>}), in one JVM for all files.
 */
final class Format {
  private static final String FIX = "mvn -q -N verify -Dformat=write";

  private final Path root;
  private final boolean write;
  private final Formatter formatter =
      new Formatter(
          JavaFormatterOptions.builder().style(JavaFormatterOptions.Style.GOOGLE).build());

  private Format(Path root, boolean write) {
    this.root = root;
    this.write = write;
  }

  public static void main(String[] args) throws IOException {
    if (args.length != 2 || !(args[0].equals("check") || args[0].equals("write"))) {
      System.err.println("usage: Format.java check|write <root>");
      System.exit(2);
    }
    boolean write = args[0].equals("write");
    List<String> changed = new Format(Path.of(args[1]), write).run();
    if (changed.isEmpty()) {
      return;
    }
    System.err.println(write ? "Formatted:" : "Not formatted:");
    changed.forEach(file -> System.err.println("  " + file));
    if (!write) {
      System.err.println("To format them: " + FIX);
      System.exit(1);
    }
  }

  private List<String> run() throws IOException {
    return sources().parallelStream().map(this::one).flatMap(List::stream).sorted().toList();
  }

  private List<Path> sources() throws IOException {
    List<Path> sources = new ArrayList<>(javaFiles(root.resolve(".ci")));
    for (Path folder : List.of(root, root.resolve("loadtest"), root.resolve("sdk-tests"))) {
      try (Stream<Path> modules = Files.list(folder)) {
        for (Path module : modules.toList()) {
          sources.addAll(javaFiles(module.resolve("src")));
        }
      }
    }
    return sources;
  }

  private static List<Path> javaFiles(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(file -> file.toString().endsWith(".java")).toList();
    }
  }

  /** Returns the file's name if it is, or was, not formatted; otherwise an empty list. */
  private List<String> one(Path file) {
    try {
      String before = Files.readString(file);
      String after;
      try {
        after =
            formatter.formatSource(
                RemoveUnusedImports.removeUnusedImports(
                    ImportOrderer.reorderImports(before, JavaFormatterOptions.Style.GOOGLE)));
      } catch (FormatterException e) {
        return List.of(root.relativize(file) + ": " + e.getMessage());
      }
      if (after.equals(before)) {
        return List.of();
      }
      if (write) {
        Files.writeString(file, after);
      }
      return List.of(root.relativize(file).toString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
