package dev.tollgate.server.acceptance;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The classes of the program as the first node of this JVM has loaded them, which later processes
 * map instead of reading jars: a start takes two thirds of its CPU.
 */
final class ClassArchive {
  /** That native access is given when the classes are used, and was not when they were kept. */
  private static final List<String> UNSAID =
      List.of("-Xlog:disable", "-Xlog:all=warning,cds*=off:stderr");

  private static final String RECORD = "-XX:+RecordDynamicDumpInfo";

  private static boolean isAsked;
  private static List<String> flags = List.of(RECORD);

  private ClassArchive() {}

  /** What a process is started with: to record its classes, or to use those that were. */
  static synchronized List<String> flags() {
    return flags;
  }

  /** Keeps the classes of a process that serves, if it is the first. */
  static synchronized void keep(long pid) throws IOException, InterruptedException {
    if (isAsked) {
      return;
    }
    isAsked = true;
    Path folder = Files.createTempDirectory("tollgate-classes");
    Path archive = folder.resolve("classes.jsa");
    Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(folder)));
    String jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
    Process dump =
        new ProcessBuilder(jcmd, "" + pid, "VM.cds", "dynamic_dump", archive.toString())
            .redirectErrorStream(true)
            .start();
    String said = Lines.of(dump.getInputStream()).whole();
    if (dump.waitFor() != 0 || !Files.exists(archive)) {
      throw new AssertionError("the classes were not kept: " + said);
    }
    List<String> use = new ArrayList<>(UNSAID);
    use.add("-XX:SharedArchiveFile=" + archive);
    flags = List.copyOf(use);
  }

  private static void delete(Path folder) {
    try {
      Files.deleteIfExists(folder.resolve("classes.jsa"));
      Files.delete(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
