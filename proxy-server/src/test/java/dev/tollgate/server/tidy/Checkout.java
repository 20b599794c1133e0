package dev.tollgate.server.tidy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The checkout under test: what version control sees of it, and what the compiler made of it. */
final class Checkout {
  /** The modules of the binary. */
  static final List<String> MODULES =
      List.of("proxy-core", "loadtest/mock", "loadtest/bench", "proxy-server");

  private final Path root;

  private Checkout(Path root) {
    this.root = root;
  }

  /** The checkout that this build runs in. */
  static Checkout ofThisBuild() {
    String root = System.getProperty("tollgate.root");
    if (root != null) {
      return new Checkout(Path.of(root));
    }
    Path here = Path.of("").toAbsolutePath();
    return new Checkout(Files.exists(here.resolve("proxy-core")) ? here : here.resolveSibling(""));
  }

  List<TrackedFile> files() throws IOException, InterruptedException {
    return paths().stream()
        .filter(path -> Files.isRegularFile(root.resolve(path)))
        .map(path -> TrackedFile.of(path, bytes(root.resolve(path))))
        .toList();
  }

  /** New files count before their first commit; without Git, all that a build does not make. */
  private List<String> paths() throws IOException, InterruptedException {
    Process git =
        new ProcessBuilder("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
            .directory(root.toFile())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    String listed = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (git.waitFor() == 0) {
      return Stream.of(listed.split("\0")).distinct().toList();
    }
    try (Stream<Path> all = Files.walk(root)) {
      return all.map(path -> root.relativize(path).toString().replace('\\', '/'))
          .filter(path -> !path.matches("(.*/)?(target|node_modules|data|\\.git)(/.*)?"))
          .toList();
    }
  }

  /** The compiled main classes of all modules. */
  List<ClassModel> classes() throws IOException {
    List<ClassModel> classes = new ArrayList<>();
    for (String module : MODULES) {
      classes.addAll(classes(module));
    }
    return classes;
  }

  private List<ClassModel> classes(String module) throws IOException {
    Path classes = root.resolve(module).resolve("target/classes");
    try (Stream<Path> files = Files.walk(classes)) {
      return files
          .filter(file -> file.toString().endsWith(".class"))
          .map(file -> ClassFile.of().parse(bytes(file)))
          .toList();
    }
  }

  private static byte[] bytes(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
