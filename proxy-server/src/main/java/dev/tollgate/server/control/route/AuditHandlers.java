package dev.tollgate.server.control.route;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.tollgate.server.account.org.AuditLog;
import dev.tollgate.server.account.org.AuditLog.AuditQuery;
import dev.tollgate.server.account.org.AuditLog.AuditRow;
import java.sql.SQLException;

/** Handlers of the calls of the audit log. */
public final class AuditHandlers {
  private AuditHandlers() {}

  /** Query of a page of the audit log. */
  record ListQuery(@JsonUnwrapped AuditQuery filter, PageRequest page) {}

  public static void add(Handlers.Builder handlers, AuditLog log) {
    handlers.replies(Route.AUDIT, call -> list(call, log));
  }

  private static ListPage<AuditRow> list(ControlRequest call, AuditLog log) throws SQLException {
    ListQuery query = call.query(ListQuery.class);
    return query.page().page(log.list(call.org(), query.filter(), query.page().part()));
  }
}
