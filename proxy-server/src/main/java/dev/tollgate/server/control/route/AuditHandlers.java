package dev.tollgate.server.control.route;

import dev.tollgate.server.account.AuditAction;
import dev.tollgate.server.account.OneOf;
import dev.tollgate.server.account.Page.Slice;
import dev.tollgate.server.account.org.AuditLog;
import dev.tollgate.server.account.org.AuditLog.AuditQuery;
import dev.tollgate.server.account.org.AuditLog.AuditRow;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Handlers of the calls of the audit log. */
public final class AuditHandlers {
  private AuditHandlers() {}

  /**
   * Query of the audit log.
   *
   * @param actor id or name of who acted
   * @param action such as {@code key.create}
   * @param target id or name of the object
   */
  record AuditFilters(
      @Nullable String actor,
      @OneOf(AuditAction.class) List<String> action,
      @Nullable String target,
      @Nullable Instant from,
      @Nullable Instant to,
      PageRequest page) {}

  public static void add(Handlers.Builder handlers, AuditLog log) {
    handlers.on(Route.AUDIT, call -> list(call, log));
  }

  private static ControlReply list(ControlRequest call, AuditLog log) throws SQLException {
    AuditFilters filters = call.query(AuditFilters.class);
    var query =
        new AuditQuery(
            filters.actor(), filters.action(), filters.target(), filters.from(), filters.to());
    Slice<AuditRow> found = log.list(call.org(), query, filters.page().part());
    return ControlReply.ok(new ListPage<>(found.data(), filters.page().nextOrNull(found.next())));
  }
}
