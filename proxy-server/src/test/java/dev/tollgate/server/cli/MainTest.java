package dev.tollgate.server.cli;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

final class MainTest {
  private final StringWriter out = new StringWriter();

  @Test
  void everyCommandIsFoundByItsName() {
    CommandLine all = Main.commandLine();

    assertThat(all.getSubcommands().keySet()).containsExactlyElementsOf(Main.COMMANDS);
    assertThat(requireSameAlone(all)).isGreaterThan(50);
  }

  /** Requires that each command is the same if it is loaded alone; returns their number. */
  private static int requireSameAlone(CommandLine line) {
    if (!line.getSubcommands().isEmpty()) {
      return line.getSubcommands().values().stream().mapToInt(MainTest::requireSameAlone).sum();
    }
    String name = line.getCommandSpec().qualifiedName();
    String[] words = name.split(" ", -1);
    CommandLine alone = Main.commandLine(Arrays.copyOfRange(words, 1, words.length));
    for (int i = 1; i < words.length; i++) {
      assertThat(alone.getSubcommands()).as(name).containsOnlyKeys(words[i]);
      alone = requireNonNull(alone.getSubcommands().get(words[i]));
    }
    assertThat(alone.getUsageMessage()).isEqualTo(line.getUsageMessage());
    return 1;
  }

  @Test
  void theHelpOfOneVerbNamesTheProgram() {
    int exit =
        Main.commandLine("serve").setOut(new PrintWriter(out, true)).execute("serve", "--help");

    assertThat(exit).isZero();
    assertThat(out.toString()).contains("Usage: tollgate serve").contains("--config=FILE");
  }

  @Test
  void theHelpOfTheProgramListsAllVerbs() {
    int exit = Main.commandLine().setOut(new PrintWriter(out, true)).execute("--help");

    assertThat(exit).isZero();
    assertThat(out.toString()).contains(Main.COMMANDS);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          sevre                              | tollgate: unknown command sevre; did you mean serve?
          orgs lsit                          | tollgate orgs: unknown command lsit; did you mean list?
          orgs list --conf x                 | tollgate orgs list: unknown option --conf; did you mean --config?
          orgs list --cfg=x                  | tollgate orgs list: unknown option --cfg
          orgs list now                      | tollgate orgs list: unexpected argument now
          keys create --org o --nam n        | tollgate keys create: unknown option --nam; did you mean --name?
          credits grant --ogr o --usd 1      | tollgate credits grant: unknown option --ogr; did you mean --org?
          credits grant --usd 1 -ojson       | tollgate credits grant: Missing required option: '--org=ORG'
          orgs                               | tollgate orgs: missing subcommand: one of create, list, show, set, secret
          """)
  void aUsageErrorIsOneLineWithTheNearestRightWord(String line, String said) {
    var err = new StringWriter();

    int exit =
        Main.commandLine(line.strip().split(" "))
            .setErr(new PrintWriter(err, true))
            .execute(line.strip().split(" "));

    assertThat(exit).isEqualTo(2);
    assertThat(err.toString()).isEqualToNormalizingNewlines(said + "\n");
  }

  @Test
  void aProgramWithoutACommandListsThem() {
    var err = new StringWriter();

    assertThat(Main.commandLine().setErr(new PrintWriter(err, true)).execute()).isEqualTo(2);

    assertThat(err.toString()).hasLineCount(1).contains(Main.COMMANDS);
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
