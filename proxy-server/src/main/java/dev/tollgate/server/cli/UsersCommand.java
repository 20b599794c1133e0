package dev.tollgate.server.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tollgate.server.account.Caller;
import dev.tollgate.server.account.Page;
import dev.tollgate.server.account.signin.OperatorUsers;
import dev.tollgate.server.account.signin.OperatorUsers.UserChanges;
import dev.tollgate.server.account.signin.OperatorUsers.UserCreation;
import dev.tollgate.server.account.signin.OperatorUsers.UserEntry;
import dev.tollgate.server.account.signin.OperatorUsers.UserQuery;
import dev.tollgate.server.account.signin.Sessions;
import dev.tollgate.server.account.signin.Sessions.SessionEntry;
import dev.tollgate.server.account.signin.UserState;
import dev.tollgate.server.cli.output.RowPrinter;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.settings.Settings;
import dev.tollgate.server.settings.SettingsPart;
import dev.tollgate.server.wiring.AccountModule;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Command group {@code tollgate users}: the accounts of people who sign in to the dashboard. */
@Command(
    name = "users",
    description = "Create, list and change accounts of people.",
    mixinStandardHelpOptions = true,
    subcommands = {
      UsersCommand.CreateUserCommand.class,
      UsersCommand.ListUsersCommand.class,
      UsersCommand.ShowUserCommand.class,
      UsersCommand.DisableUserCommand.class,
      UsersCommand.EnableUserCommand.class,
      UsersCommand.OperatorCommand.class,
      UsersCommand.ResetLinkCommand.class,
      UsersCommand.SessionsCommand.class,
    })
final class UsersCommand extends CommandGroup {

  /** Base class of commands about one account. */
  abstract static class SingleUserCommand extends TenantCommand {
    @Parameters(paramLabel = "EMAIL", description = "Address of the account.")
    private String email = "";

    @Override
    final SettingsPart part() {
      return SettingsPart.ACCOUNTS;
    }

    final String email() {
      return email;
    }

    final UserEntry user(OperatorUsers users) throws SQLException, CommandFailedException {
      return users
          .find(Caller.cli(), email)
          .orElseThrow(() -> new CommandFailedException("there is no account of " + email));
    }

    final void change(Settings settings, Store store, UserChanges changes)
        throws SQLException, CommandFailedException {
      OperatorUsers users = AccountModule.users(settings, store);
      rows().print(row(users.change(Caller.cli(), user(users).id(), changes)));
    }
  }

  @Command(
      name = "create",
      description = "Create an account and print the link that sets its password.",
      mixinStandardHelpOptions = true)
  static final class CreateUserCommand extends SingleUserCommand {
    @Option(names = "--name", paramLabel = "NAME", description = "Name; the address if absent.")
    private @Nullable String name;

    @Option(names = "--operator", description = "With rights over all organizations.")
    private boolean isOperator;

    @Override
    void run(Settings settings, Store store) throws SQLException {
      OperatorUsers users = AccountModule.users(settings, store);
      var creation = new UserCreation(email(), name, isOperator);
      printLink(rows(), email(), users.create(Caller.cli(), creation));
    }
  }

  @Command(name = "list", description = "List all accounts.", mixinStandardHelpOptions = true)
  static final class ListUsersCommand extends TenantCommand {
    @Override
    SettingsPart part() {
      return SettingsPart.ACCOUNTS;
    }

    @Override
    void run(Settings settings, Store store) throws SQLException {
      OperatorUsers users = AccountModule.users(settings, store);
      List<ObjectNode> all =
          Page.upTo(Integer.MAX_VALUE, page -> users.list(Caller.cli(), UserQuery.ALL, page))
              .stream()
              .map(UsersCommand::row)
              .toList();
      rows()
          .print(all, "email", "name", "state", "operator", "organizations", "last_seen_at", "id");
    }
  }

  @Command(name = "show", description = "Show an account.", mixinStandardHelpOptions = true)
  static final class ShowUserCommand extends SingleUserCommand {
    @Override
    void run(Settings settings, Store store) throws SQLException, CommandFailedException {
      rows().print(row(user(AccountModule.users(settings, store))));
    }
  }

  @Command(
      name = "disable",
      description = "Refuse all calls of an account.",
      mixinStandardHelpOptions = true)
  static final class DisableUserCommand extends SingleUserCommand {
    @Override
    void run(Settings settings, Store store) throws SQLException, CommandFailedException {
      change(settings, store, new UserChanges(UserState.DISABLED, null, null));
    }
  }

  @Command(
      name = "enable",
      description = "Let an account work again.",
      mixinStandardHelpOptions = true)
  static final class EnableUserCommand extends SingleUserCommand {
    @Override
    void run(Settings settings, Store store) throws SQLException, CommandFailedException {
      change(settings, store, new UserChanges(UserState.ACTIVE, null, null));
    }
  }

  @Command(
      name = "operator",
      description = "Give an account rights over all organizations, or take them.",
      mixinStandardHelpOptions = true)
  static final class OperatorCommand extends SingleUserCommand {
    @Option(names = "--remove", description = "Take the rights.")
    private boolean isRemoved;

    @Override
    void run(Settings settings, Store store) throws SQLException, CommandFailedException {
      change(settings, store, new UserChanges(null, !isRemoved, null));
    }
  }

  @Command(
      name = "reset-link",
      description = "Print a link that sets a new password; it works for 30 minutes.",
      mixinStandardHelpOptions = true)
  static final class ResetLinkCommand extends SingleUserCommand {
    @Override
    void run(Settings settings, Store store) throws SQLException, CommandFailedException {
      OperatorUsers users = AccountModule.users(settings, store);
      String link = users.printedResetLink(Caller.cli(), user(users).id());
      printLink(rows(), email(), link);
    }
  }

  @Command(
      name = "sessions",
      description = "List the sessions of an account, or end them.",
      mixinStandardHelpOptions = true)
  static final class SessionsCommand extends SingleUserCommand {
    @Option(names = "--end", description = "End all of them.")
    private boolean isEnding;

    @Override
    void run(Settings settings, Store store) throws SQLException, CommandFailedException {
      OperatorUsers users = AccountModule.users(settings, store);
      UserEntry user = user(users);
      if (isEnding) {
        int ended = users.endSessions(Caller.cli(), user.id());
        rows().print(RowPrinter.row().put("email", user.email()).put("ended", ended));
        return;
      }
      Sessions sessions = AccountModule.sessions(settings, store);
      rows()
          .print(
              sessions.list(Caller.cli(), user.id()).stream().map(SessionsCommand::row).toList(),
              "last_seen_at",
              "created_at",
              "ip",
              "browser",
              "os",
              "id");
    }

    private static ObjectNode row(SessionEntry session) {
      return RowPrinter.row()
          .put("id", session.id().toString())
          .put("created_at", session.createdAt().toString())
          .put("last_seen_at", session.lastSeenAt().toString())
          .put("ip", session.ip())
          .put("browser", session.browser())
          .put("os", session.os())
          .put("user_agent", session.userAgent());
    }
  }

  private static void printLink(RowPrinter rows, String email, String link) {
    rows.print(RowPrinter.row().put("email", email).put("link", link));
  }

  private static ObjectNode row(UserEntry user) {
    Instant lastSeen = user.lastSeenAt();
    return RowPrinter.row()
        .put("id", user.id().toString())
        .put("email", user.email())
        .put("name", user.name())
        .put("state", user.state())
        .put("operator", user.operator())
        .put("password", user.password())
        .put("organizations", user.organizations())
        .put("created_at", user.createdAt().toString())
        .put("last_seen_at", lastSeen == null ? null : lastSeen.toString());
  }
}
