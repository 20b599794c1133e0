package dev.tollgate.server.account.org;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.server.account.AuditAction;
import dev.tollgate.server.account.AuditEntry.Change;
import dev.tollgate.server.account.Caller;
import dev.tollgate.server.account.OneOf;
import dev.tollgate.server.account.OrgAccess;
import dev.tollgate.server.account.Page;
import dev.tollgate.server.account.Page.Slice;
import dev.tollgate.server.account.Permission;
import dev.tollgate.server.postgres.session.SqlParts;
import dev.tollgate.server.postgres.session.Statements;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Service that lists the audit log, the latest first. */
public final class AuditLog {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final TypeReference<List<Change>> CHANGES = new TypeReference<>() {};

  private static final String SELECT =
      """
      SELECT e.id, e.at, e.org_id, e.actor_kind, e.actor_id, e.actor_name, e.action, e.target_kind,
             e.target_id, e.target_name, e.changes, e.ip, e.request_id
        FROM audit_event e WHERE true""";

  private final DataSource pool;

  public AuditLog(DataSource pool) {
    this.pool = pool;
  }

  /**
   * Filter of the audit log; null or empty: any.
   *
   * @param actor id or name of who acted
   * @param action names on the wire, such as {@code key.create}
   * @param target id or name of the object
   */
  public record AuditQuery(
      @Nullable String actor,
      @OneOf(AuditAction.class) List<String> action,
      @Nullable String target,
      @Nullable Instant from,
      @Nullable Instant to) {
    public static final AuditQuery ALL = new AuditQuery(null, List.of(), null, null, null);

    public AuditQuery {
      action = List.copyOf(action);
    }
  }

  /**
   * Row of the audit log.
   *
   * @param org null: of no organization
   */
  public record AuditRow(
      String id,
      Instant at,
      @Nullable UUID org,
      Actor actor,
      @OneOf(AuditAction.class) String action,
      @Nullable ActionTarget target,
      List<Change> changes,
      @Nullable String ip,
      @Nullable String requestId) {}

  /**
   * Who acted.
   *
   * @param via operator, if a person acted with an operator's rights; else null
   */
  public record Actor(
      @OneOf(texts = {"user", "token", "cli", "system"}) String kind,
      @Nullable String id,
      @Nullable String name,
      @OneOf(texts = "operator") @Nullable String via) {}

  /** Object of an action. */
  public record ActionTarget(String kind, @Nullable String id, @Nullable String name) {}

  private record Positioned(AuditRow row, String position) {}

  /** Returns a part of an organization's audit log. */
  public Slice<AuditRow> list(OrgAccess access, AuditQuery query, Page page) throws SQLException {
    access.require(Permission.AUDIT_READ);
    return list(access.org(), query, page);
  }

  /** Returns a part of the audit log of all organizations and of none; for operators. */
  public Slice<AuditRow> listAll(Caller caller, AuditQuery query, Page page) throws SQLException {
    caller.requireOperator();
    return list((OrgId) null, query, page);
  }

  private Slice<AuditRow> list(@Nullable OrgId org, AuditQuery query, Page page)
      throws SQLException {
    SqlParts sql =
        new SqlParts()
            .add(SELECT)
            .and(org == null ? null : org.value(), "e.org_id = ?")
            .and(query.actor(), "(e.actor_id = ? OR e.actor_name = ?)")
            .and(query.action(), "e.action = ANY (?)")
            .and(query.target(), "(e.target_id = ? OR e.target_name = ?)")
            .and(query.from(), "e.at >= ?")
            .and(query.to(), "e.at < ?")
            .andEach(
                page.position(Page.TIME, Page.NUMBER), "(e.at, e.id) < (?::timestamptz, ?::bigint)")
            .add("ORDER BY e.at DESC, e.id DESC LIMIT ?", page.limit() + 1);
    return page.slice(sql.list(pool, AuditLog::read), Positioned::position).map(Positioned::row);
  }

  private static Positioned read(ResultSet row) throws SQLException {
    String kind = row.getString("actor_kind");
    boolean isOperator = kind.equals("operator");
    String targetKind = row.getString("target_kind");
    var read =
        new AuditRow(
            row.getString("id"),
            Statements.requiredInstant(row, "at"),
            row.getObject("org_id", UUID.class),
            new Actor(
                isOperator ? "user" : kind,
                row.getString("actor_id"),
                row.getString("actor_name"),
                isOperator ? kind : null),
            row.getString("action"),
            targetKind == null
                ? null
                : new ActionTarget(
                    targetKind, row.getString("target_id"), row.getString("target_name")),
            parsed(row.getString("changes")),
            row.getString("ip"),
            row.getString("request_id"));
    return new Positioned(read, row.getString("at") + "|" + row.getString("id"));
  }

  private static List<Change> parsed(String changes) {
    try {
      return JSON.readValue(changes, CHANGES);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("the audit log contains invalid JSON", e);
    }
  }
}
