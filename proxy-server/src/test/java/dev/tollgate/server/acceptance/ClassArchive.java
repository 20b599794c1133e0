package dev.tollgate.server.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Class-data archive of a node that has served one request, mapped by later processes instead of
 * reading jars: a start takes two thirds of its CPU. Created once for this JVM, by a process that
 * ends afterwards, because a process that continues after such a dump may crash.
 */
final class ClassArchive {
  private static final String ARCHIVE = "classes.jsa";

  /** The JVM warns that native access is not enabled by default; this is expected. */
  private static final List<String> UNSAID =
      List.of("-Xlog:disable", "-Xlog:all=warning,cds*=off:stderr");

  private ClassArchive() {}

  private static final class Made {
    static final List<String> FLAGS = make();
  }

  /** Returns the JVM options that use the archive. */
  static List<String> flags() {
    return Made.FLAGS;
  }

  private static List<String> make() {
    try {
      Path folder = Files.createTempDirectory("tollgate-classes");
      Path archive = folder.resolve(ARCHIVE);
      Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(folder)));
      record(archive);
      return List.of(UNSAID.getFirst(), UNSAID.getLast(), "-XX:SharedArchiveFile=" + archive);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  private static void record(Path archive) throws IOException, InterruptedException {
    ConfigBuilder setup =
        ConfigBuilder.empty().mock("mock").model("test/chat", "mock", "mock-chat?chunks=2");
    try (NodeFolder folder = NodeFolder.with(setup);
        GatewayProcess node = GatewayProcess.recorded(folder, archive)) {
      assertThat(ChatRequests.ask(node, "test/chat", node.bootstrapKey()).status()).isEqualTo(200);
      node.terminate();
      node.awaitExit();
    }
    assertThat(archive).isNotEmptyFile();
  }

  private static void delete(Path folder) {
    try {
      Files.deleteIfExists(folder.resolve(ARCHIVE));
      Files.delete(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
