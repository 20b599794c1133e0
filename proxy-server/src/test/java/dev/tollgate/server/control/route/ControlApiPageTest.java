package dev.tollgate.server.control.route;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The page about the control plane's calls says what the API description says. */
final class ControlApiPageTest {
  private static final Path PAGE =
      Path.of(System.getProperty("tollgate.root", ".."), "docs", "control-api.md");

  @Test
  void thePageIsThatOfTheDescription() throws IOException {
    if ("write".equals(System.getProperty("tollgate.docs"))) {
      Files.writeString(PAGE, ControlApiPage.text());
    }
    assertThat(Files.readString(PAGE)).isEqualTo(ControlApiPage.text());
  }
}
