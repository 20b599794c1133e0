package dev.tollgate.server.control.route;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.http.Field;
import dev.tollgate.server.account.Refused;
import dev.tollgate.server.control.route.ControlReply.Asset;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files of the dashboard with their fields. */
final class DashboardFilesTest {
  @TempDir Path folder;

  private DashboardFiles distribution() throws Exception {
    Path dashboard = folder.resolve("dashboard");
    Files.createDirectories(dashboard.resolve("assets"));
    Files.writeString(dashboard.resolve("index.html"), "<p>shell</p>");
    Files.writeString(dashboard.resolve("index.html.gz"), "shell, compressed");
    Files.writeString(dashboard.resolve("assets/main-1.js"), "code");
    Files.writeString(dashboard.resolve("licences.txt"), "licence");
    Files.writeString(
        dashboard.resolve("assets.json"),
        """
        [{"path":"index.html","type":"text/html; charset=utf-8","sha256":"","size":1,"gzip":1},
         {"path":"assets/main-1.js","type":"text/javascript; charset=utf-8"},
         {"path":"licences.txt","type":"text/plain; charset=utf-8"}]""");
    URL[] urls = {folder.toUri().toURL()};
    try (var loader = new URLClassLoader(urls, null)) {
      return DashboardFiles.bundled(loader, false);
    }
  }

  private static Map<String, String> fields(ControlReply reply) {
    return reply.fields().stream().collect(Collectors.toMap(Field::name, Field::value));
  }

  private static String text(ControlReply reply) {
    return new String(((Asset) reply).content(), UTF_8);
  }

  @Test
  void theShellIsNeverKeptAndMayRunOnlyItsOwnScripts() throws Exception {
    ControlReply shell = distribution().shell(false);
    assertThat(text(shell)).isEqualTo("<p>shell</p>");
    assertThat(fields(shell))
        .containsEntry("Cache-Control", "no-store")
        .containsEntry("X-Content-Type-Options", "nosniff")
        .containsEntry("Referrer-Policy", "no-referrer")
        .containsEntry("Vary", "Accept-Encoding")
        .doesNotContainKeys("Content-Encoding", "Strict-Transport-Security");
    assertThat(fields(shell).get("Content-Security-Policy"))
        .contains("default-src 'self'", "frame-ancestors 'none'", "object-src 'none'")
        .contains("require-trusted-types-for 'script'")
        .doesNotContain("unsafe");
  }

  @Test
  void assetsAreKeptForEverAndSentCompressedIfThatIsWanted() throws Exception {
    DashboardFiles files = distribution();
    assertThat(text(files.shell(true))).isEqualTo("shell, compressed");
    assertThat(fields(files.shell(true))).containsEntry("Content-Encoding", "gzip");
    ControlReply asset = files.asset("main-1.js", true);
    assertThat(text(asset)).isEqualTo("code");
    assertThat(((Asset) asset).contentType()).isEqualTo("text/javascript; charset=utf-8");
    assertThat(fields(asset))
        .containsEntry("Cache-Control", "public, max-age=31536000, immutable")
        .doesNotContainKey("Content-Encoding");
    assertThat(text(files.asset("licences.txt", false))).isEqualTo("licence");
  }

  @ParameterizedTest
  @ValueSource(strings = {"main-2.js", "..", ".", "index.html", "..\\x", "a b.js", "assets.json"})
  void anUnknownAssetIsNotFound(String name) throws Exception {
    DashboardFiles files = distribution();
    Refused refused = catchThrowableOfType(Refused.class, () -> files.asset(name, false));
    assertThat(refused.fault().code()).isEqualTo(ErrorCode.NOT_FOUND);
    DashboardFiles live = DashboardFiles.open(folder.resolve("dashboard"), true);
    assertThat(catchThrowableOfType(Refused.class, () -> live.asset(name, false))).isNotNull();
  }

  @Test
  void aFolderIsReadAnew() throws Exception {
    Path dashboard = folder.resolve("live");
    Files.createDirectories(dashboard.resolve("assets"));
    Files.writeString(dashboard.resolve("index.html"), "one");
    DashboardFiles files = DashboardFiles.open(dashboard, true);
    assertThat(text(files.shell(true))).isEqualTo("one");
    Files.writeString(dashboard.resolve("index.html"), "two");
    Files.writeString(dashboard.resolve("assets/main.css"), "p {}");
    assertThat(text(files.shell(true))).isEqualTo("two");
    assertThat(fields(files.asset("main.css", true))).containsEntry("Cache-Control", "no-store");
    assertThat(fields(files.shell(true))).containsKey("Strict-Transport-Security");
  }

  @Test
  void withoutADashboardAPageNamesTheRemedy() throws Exception {
    try (var nothing = new URLClassLoader(new URL[0], null)) {
      DashboardFiles files = DashboardFiles.bundled(nothing, false);
      assertThat(text(files.shell(true))).contains("-Ddashboard=required");
      Refused refused = catchThrowableOfType(Refused.class, () -> files.asset("main.js", true));
      assertThat(refused.fault().code()).isEqualTo(ErrorCode.NOT_CONFIGURED);
    }
  }
}
