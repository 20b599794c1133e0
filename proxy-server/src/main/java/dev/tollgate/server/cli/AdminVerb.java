package dev.tollgate.server.cli;

import dev.tollgate.server.cli.AdminClient.Answer;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A verb that asks a running gateway: 0 where it said yes, 1 where it said no or nothing. */
abstract class AdminVerb implements Callable<Integer> {
  @Spec private @Nullable CommandSpec spec;
  @Mixin private AdminOptions admin = new AdminOptions();

  @Override
  public final Integer call() {
    CommandLine line = Objects.requireNonNull(spec).commandLine();
    try {
      Answer answer = ask(admin.client());
      var to = answer.isGood() ? line.getOut() : line.getErr();
      to.println(answer.body().strip());
      return answer.isGood() ? 0 : 1;
    } catch (AdminUnreachable | InvalidConfiguration e) {
      line.getErr().println(e.getMessage());
      return 1;
    }
  }

  /** Asks, and shapes what is to be shown. */
  abstract Answer ask(AdminClient client) throws AdminUnreachable;
}
