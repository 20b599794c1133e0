package dev.tollgate.server.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.server.account.OrgAccess;
import dev.tollgate.server.account.Refused;
import dev.tollgate.server.account.Role;
import dev.tollgate.server.account.UserId;
import dev.tollgate.server.account.org.MemberView;
import dev.tollgate.server.account.org.Members;
import dev.tollgate.server.cli.output.RowPrinter;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.settings.Settings;
import java.sql.SQLException;
import java.time.Instant;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** Command group {@code tollgate members}: people of organizations and their roles. */
@Command(
    name = "members",
    description = "List, add, change and remove members of an organization.",
    mixinStandardHelpOptions = true,
    subcommands = {
      MembersCommand.ListMembersCommand.class,
      MembersCommand.AddMemberCommand.class,
      MembersCommand.SetMemberCommand.class,
      MembersCommand.RemoveMemberCommand.class,
    })
final class MembersCommand extends CommandGroup {
  private static final String ROLES = "owner, admin, developer, billing or viewer";

  /** Base class of commands on the members of one organization. */
  abstract static class OrgMembersCommand extends TenantCommand {
    @Option(
        names = "--org",
        required = true,
        paramLabel = "ORG",
        description = "Name or id of the organization.")
    private String org = "";

    /** Runs the command. */
    abstract void run(Members members, OrgAccess access)
        throws SQLException, CommandFailedException;

    @Override
    final void run(Settings settings, Store store) throws SQLException, CommandFailedException {
      run(new Members(store.pool()), access(store, org));
    }

    /** Returns the member with an address. */
    static UserId member(Members members, OrgAccess access, String email)
        throws SQLException, CommandFailedException {
      try {
        return members.withAddress(access, email);
      } catch (Refused e) {
        if (e.fault().code() != ErrorCode.NOT_FOUND) {
          throw e;
        }
        throw new CommandFailedException("%s has no member %s".formatted(access.orgName(), email));
      }
    }

    static Role role(String text) {
      return Role.parse(text)
          .orElseThrow(() -> new TypeConversionException("--role must be " + ROLES));
    }
  }

  @Command(name = "list", description = "List members.", mixinStandardHelpOptions = true)
  static final class ListMembersCommand extends OrgMembersCommand {
    @Override
    void run(Members members, OrgAccess access) throws SQLException {
      rows()
          .print(
              members.list(access).data().stream().map(MembersCommand::row).toList(),
              "email",
              "name",
              "role",
              "state",
              "keys",
              "joined_at");
    }
  }

  @Command(
      name = "add",
      description = "Make a person who has an account a member.",
      mixinStandardHelpOptions = true)
  static final class AddMemberCommand extends OrgMembersCommand {
    @Parameters(paramLabel = "EMAIL", description = "Address of the account.")
    private String email = "";

    @Option(names = "--role", required = true, paramLabel = "ROLE", description = ROLES + ".")
    private String role = "";

    @Override
    void run(Members members, OrgAccess access) throws SQLException, CommandFailedException {
      try {
        rows().print(row(members.add(access, email, role(role))));
      } catch (Refused e) {
        if (e.fault().code() != ErrorCode.NOT_FOUND) {
          throw e;
        }
        throw new CommandFailedException("there is no account " + email);
      }
    }
  }

  @Command(name = "set", description = "Change a member's role.", mixinStandardHelpOptions = true)
  static final class SetMemberCommand extends OrgMembersCommand {
    @Parameters(paramLabel = "EMAIL", description = "Address of the member.")
    private String email = "";

    @Option(names = "--role", required = true, paramLabel = "ROLE", description = ROLES + ".")
    private String role = "";

    @Override
    void run(Members members, OrgAccess access) throws SQLException, CommandFailedException {
      UserId member = member(members, access, email);
      rows().print(row(members.changeRole(access, member, role(role), null)));
    }
  }

  @Command(
      name = "remove",
      description = "Remove a member; keys that the person made stay.",
      mixinStandardHelpOptions = true)
  static final class RemoveMemberCommand extends OrgMembersCommand {
    @Parameters(paramLabel = "EMAIL", description = "Address of the member.")
    private String email = "";

    @Override
    void run(Members members, OrgAccess access) throws SQLException, CommandFailedException {
      members.remove(access, member(members, access, email));
      out().println("removed " + email);
    }
  }

  private static ObjectNode row(MemberView member) {
    Instant lastSeenAt = member.lastSeenAt();
    return RowPrinter.row()
        .put("id", member.user().id().toString())
        .put("email", member.user().email())
        .put("name", member.user().name())
        .put("role", member.role().wire())
        .put("state", member.user().state())
        .put("keys", member.keys())
        .put("joined_at", member.joinedAt().toString())
        .put("last_seen_at", lastSeenAt == null ? null : lastSeenAt.toString());
  }
}
