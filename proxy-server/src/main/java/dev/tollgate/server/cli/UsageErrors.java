package dev.tollgate.server.cli;

import dev.tollgate.server.settings.binding.DidYouMean;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * Reporter of errors of the command line itself: one line that names the command, what is wrong and
 * the nearest right word; exit code 2.
 */
final class UsageErrors implements IParameterExceptionHandler {
  /** Fewest characters of an option's begin that stand for the option in a hint. */
  private static final int BEGIN_MIN = "--a".length();

  @Override
  public int handleParseException(ParameterException e, String[] arguments) {
    CommandSpec command = e.getCommandLine().getCommandSpec();
    String message =
        unknownOption(command, e, arguments)
            .map(option -> "unknown option " + option + hint(option, options(command)))
            .or(() -> unknownWord(command, e))
            .orElseGet(() -> String.valueOf(e.getMessage()).lines().findFirst().orElse(""));
    e.getCommandLine().getErr().println(command.qualifiedName() + ": " + message);
    return CommandLine.ExitCode.USAGE;
  }

  /**
   * Returns the first option that the command does not have. A required one is missed first by the
   * parser, although it was often given by a wrong name.
   */
  private static Optional<String> unknownOption(
      CommandSpec command, ParameterException e, String[] arguments) {
    List<String> candidates =
        switch (e) {
          case UnmatchedArgumentException unmatched -> unmatched.getUnmatched();
          case CommandLine.MissingParameterException _ -> Arrays.asList(arguments);
          default -> List.of();
        };
    return candidates.stream()
        .filter(each -> each.startsWith("-") && each.length() > 1)
        .map(each -> each.split("=", 2)[0])
        .filter(each -> !isOption(each, options(command)))
        .findFirst();
  }

  /** True for the name of an option, also for a short one with its value attached. */
  private static boolean isOption(String written, List<String> known) {
    return known.contains(written)
        || (!written.startsWith("--") && known.contains(written.substring(0, 2)));
  }

  private static Optional<String> unknownWord(CommandSpec command, ParameterException e) {
    if (!(e instanceof UnmatchedArgumentException unmatched)) {
      return Optional.empty();
    }
    String word = unmatched.getUnmatched().getFirst();
    Collection<String> known = command.subcommands().keySet();
    return Optional.of(
        known.isEmpty()
            ? "unexpected argument " + word
            : "unknown command " + word + DidYouMean.hint(word, known));
  }

  private static List<String> options(CommandSpec command) {
    List<String> names = new ArrayList<>();
    command.options().forEach(option -> names.addAll(List.of(option.names())));
    return names;
  }

  /** Returns a hint at the one option that begins like this, or else at the nearest. */
  private static String hint(String written, List<String> known) {
    List<String> longer =
        written.length() < BEGIN_MIN
            ? List.of()
            : known.stream().filter(each -> each.startsWith(written)).toList();
    return DidYouMean.hint(longer.size() == 1 ? longer.getFirst() : written, known);
  }
}
