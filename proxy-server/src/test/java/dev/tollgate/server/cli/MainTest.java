package dev.tollgate.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Properties;
import org.junit.jupiter.api.Test;

final class MainTest {
  private final StringWriter out = new StringWriter();

  @Test
  void everyCommandIsFoundByItsName() {
    var verbs = new ArrayList<>(Main.COMMANDS.keySet());

    assertThat(Main.commandLine().getSubcommands().keySet()).containsExactlyElementsOf(verbs);
    Main.COMMANDS.forEach(
        (name, verb) ->
            assertThat(Main.commandLine(verb).getSubcommands().keySet()).containsExactly(name));
  }

  @Test
  void theHelpOfOneVerbNamesTheProgram() {
    int exit =
        Main.commandLine(ServeCommand.class)
            .setOut(new PrintWriter(out, true))
            .execute("serve", "--help");

    assertThat(exit).isZero();
    assertThat(out.toString()).contains("Usage: tollgate serve").contains("--config=FILE");
  }

  @Test
  void theHelpOfTheProgramListsAllVerbs() {
    int exit = Main.commandLine().setOut(new PrintWriter(out, true)).execute("--help");

    assertThat(exit).isZero();
    assertThat(out.toString()).contains(Main.COMMANDS.keySet());
  }

  @Test
  void anUnknownCommandIsAUsageError() {
    var err = new StringWriter();

    int exit = Main.commandLine().setErr(new PrintWriter(err, true)).execute("sevre");

    assertThat(exit).isEqualTo(2);
    assertThat(err.toString()).contains("sevre", "Did you mean");
  }

  @Test
  void leakDetectionIsOffByDefault() {
    var properties = new Properties();
    Main.setDefaults(properties);
    assertThat(properties).containsEntry("io.netty.leakDetection.level", "disabled");
    properties.setProperty("io.netty.leakDetection.level", "paranoid");
    Main.setDefaults(properties);
    assertThat(properties).containsEntry("io.netty.leakDetection.level", "paranoid");
  }
}
