package dev.tollgate.server.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.server.account.Caller;
import dev.tollgate.server.account.OrgAccess;
import dev.tollgate.server.account.Page;
import dev.tollgate.server.account.org.AuditLog;
import dev.tollgate.server.account.org.AuditLog.ActionTarget;
import dev.tollgate.server.account.org.AuditLog.AuditQuery;
import dev.tollgate.server.account.org.AuditLog.AuditRow;
import dev.tollgate.server.cli.output.RowPrinter;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.settings.Settings;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Command group {@code tollgate audit}: what was changed by whom. */
@Command(
    name = "audit",
    description = "List what was changed by whom.",
    mixinStandardHelpOptions = true,
    subcommands = AuditCommand.ListAuditCommand.class)
final class AuditCommand extends CommandGroup {
  private static final ObjectMapper JSON = new ObjectMapper();

  @Command(
      name = "list",
      description = "List the latest rows of the audit log, the latest first.",
      mixinStandardHelpOptions = true)
  static final class ListAuditCommand extends OrgListCommand {
    @Option(
        names = "--actor",
        paramLabel = "TEXT",
        description = "Only rows of who has this id, address or name.")
    private @Nullable String actor;

    @Option(
        names = "--action",
        split = ",",
        paramLabel = "ACTION",
        description = "Only rows of this action, such as key.create; repeatable.")
    private List<String> actions = List.of();

    @Override
    void run(Settings settings, Store store) throws SQLException, CommandFailedException {
      OrgId org = org(store);
      var log = new AuditLog(store.pool());
      var query = new AuditQuery(actor, actions, null, null, null);
      OrgAccess access = org == null ? null : OrgAccess.of(store.pool(), Caller.cli(), org);
      List<AuditRow> found =
          Page.upTo(
              limit(),
              page ->
                  access == null
                      ? log.listAll(Caller.cli(), query, page)
                      : log.list(access, query, page));
      List<ObjectNode> rows = found.stream().map(AuditCommand::row).toList();
      rows().print(rows, "at", "actor", "action", "target", "name", "ip");
    }
  }

  private static ObjectNode row(AuditRow row) {
    ActionTarget target = row.target();
    AuditLog.Actor actor = row.actor();
    UUID org = row.org();
    ObjectNode printed =
        RowPrinter.row()
            .put("id", row.id())
            .put("at", row.at().toString())
            .put("org", org == null ? null : org.toString())
            .put("actor", actor.name() == null ? actor.kind() : actor.name())
            .put("actor_id", actor.id())
            .put("via", actor.via())
            .put("action", row.action())
            .put("target", target == null ? null : target.id())
            .put("name", target == null ? null : target.name())
            .put("ip", row.ip())
            .put("request_id", row.requestId());
    printed.set("changes", JSON.valueToTree(row.changes()));
    return printed;
  }
}
