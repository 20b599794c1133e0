package dev.tollgate.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The table of docs/cli.md has every command with what its help says. */
class CliPageTest {
  private static final Path PAGE =
      Path.of(System.getProperty("tollgate.root", "..")).resolve("docs/cli.md");
  private static final String HEAD = "<!-- commands -->\n| command | does |\n|---|---|\n";

  @Test
  void thePageListsAllCommands() throws IOException {
    List<String> rows = new ArrayList<>();
    Main.commandLine().getSubcommands().values().forEach(each -> add(each, rows));

    String page = Files.readString(PAGE);
    assertThat(page.substring(page.indexOf(HEAD) + HEAD.length()))
        .isEqualTo(String.join("\n", rows) + "\n");
  }

  private static void add(CommandLine command, List<String> rows) {
    var inner = new LinkedHashSet<>(command.getSubcommands().values());
    if (inner.isEmpty()) {
      String name = command.getCommandSpec().qualifiedName().replaceFirst("tollgate ", "");
      String does = String.join(" ", command.getCommandSpec().usageMessage().description());
      rows.add("| `%s` | %s |".formatted(name, does));
    }
    inner.forEach(each -> add(each, rows));
  }
}
