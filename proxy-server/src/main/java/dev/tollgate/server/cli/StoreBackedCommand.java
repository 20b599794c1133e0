package dev.tollgate.server.cli;

import dev.tollgate.server.account.Refused;
import dev.tollgate.server.cli.option.ConfigOptions;
import dev.tollgate.server.postgres.embedded.StoreException;
import dev.tollgate.server.postgres.session.StoreOptions;
import dev.tollgate.server.settings.LoadResult;
import dev.tollgate.server.settings.Settings;
import dev.tollgate.server.settings.SettingsPart;
import java.io.PrintWriter;
import java.sql.SQLException;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/**
 * Base class of CLI commands that open the configured store directly, whether a gateway runs or
 * not. Failures are printed on stderr, with exit code 1.
 */
abstract class StoreBackedCommand implements Callable<Integer> {
  @Spec private @Nullable CommandSpec spec;

  @Mixin private ConfigOptions config = new ConfigOptions();

  @Override
  public final Integer call() {
    try {
      requireOptions();
    } catch (TypeConversionException e) {
      throw usage(String.valueOf(e.getMessage()));
    }
    return switch (config.load(part())) {
      case LoadResult.Invalid invalid -> {
        invalid.problems().forEach(err()::println);
        yield 1;
      }
      case LoadResult.Valid valid -> call(valid.settings());
    };
  }

  private int call(Settings settings) {
    try {
      run(settings, StoreOptions.of(settings.store()));
      out().flush();
      return 0;
    } catch (TypeConversionException e) {
      throw usage(String.valueOf(e.getMessage()));
    } catch (CommandFailedException | StoreException | Refused e) {
      err().println(e.getMessage());
    } catch (SQLException e) {
      err().println("the database refused: " + e.getMessage());
    }
    return 1;
  }

  /** Refuses options that do not go together, before anything is read. */
  void requireOptions() {}

  /** Runs the command and prints its result. */
  abstract void run(Settings settings, StoreOptions options)
      throws StoreException, SQLException, CommandFailedException;

  /** Returns the part of the configuration that the command reads. */
  SettingsPart part() {
    return SettingsPart.STORE;
  }

  final PrintWriter out() {
    return line().getOut();
  }

  final PrintWriter err() {
    return line().getErr();
  }

  /** Returns an error of the command line itself: exit code 2. */
  final ParameterException usage(String message) {
    return new ParameterException(line(), message);
  }

  private CommandLine line() {
    return Objects.requireNonNull(spec).commandLine();
  }

  /** Thrown if the store has no such row, or if its rules forbid the change. */
  static final class CommandFailedException extends Exception {
    private static final long serialVersionUID = 1;

    CommandFailedException(String message) {
      super(message, null, false, false);
    }
  }
}
