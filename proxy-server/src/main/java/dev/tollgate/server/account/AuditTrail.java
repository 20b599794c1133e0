package dev.tollgate.server.account;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.server.account.AuditEntry.Change;
import dev.tollgate.server.account.AuditEntry.Target;
import dev.tollgate.server.postgres.session.Statements;
import dev.tollgate.server.postgres.session.Transactions;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Writer of the audit log: each row is written in the transaction of its change, so a change
 * without its row cannot be committed.
 */
public final class AuditTrail {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String INSERT =
      """
      INSERT INTO audit_event (org_id, actor_kind, actor_id, actor_name, action,
        target_kind, target_id, target_name, changes, ip, user_agent, request_id)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""";

  private static final Map<AuditAction, LongAdder> COMMITTED =
      Arrays.stream(AuditAction.values())
          .collect(Collectors.toUnmodifiableMap(each -> each, _ -> new LongAdder()));

  private AuditTrail() {}

  /** Returns how many rows this process committed, by action. */
  public static Map<List<String>, Long> committed() {
    return COMMITTED.entrySet().stream()
        .collect(
            Collectors.toMap(each -> List.of(each.getKey().wire()), each -> each.getValue().sum()));
  }

  private record Actor(String kind, @Nullable String id, @Nullable String name) {}

  /** Writes what a caller did to an object of no organization. */
  public static void write(
      Connection connection, Caller caller, AuditAction action, Target target, Change... changes)
      throws SQLException {
    insert(connection, caller, false, new AuditEntry(null, action, target, List.of(changes)));
  }

  /** Writes what a caller did in an organization with its own rights. */
  public static void write(
      Connection connection,
      Caller caller,
      OrgId org,
      AuditAction action,
      Target target,
      Change... changes)
      throws SQLException {
    insert(connection, caller, false, new AuditEntry(org, action, target, List.of(changes)));
  }

  /** Writes what was done in an organization, marked if it was with an operator's rights. */
  public static void write(
      Connection connection, OrgAccess access, AuditAction action, Target target, Change... changes)
      throws SQLException {
    var entry = new AuditEntry(access.org(), action, target, List.of(changes));
    insert(connection, access.caller(), access.isViaOperator(), entry);
  }

  private static void insert(
      Connection connection, Caller caller, boolean viaOperator, AuditEntry entry)
      throws SQLException {
    Actor actor = actor(caller.principal(), viaOperator);
    OrgId org = entry.org();
    Target target = entry.target();
    Statements.update(
        connection,
        INSERT,
        org == null ? null : org.value(),
        actor.kind(),
        actor.id(),
        actor.name(),
        entry.action().wire(),
        target.kind(),
        target.id(),
        target.name(),
        json(entry.changes()),
        caller.ip(),
        caller.userAgent(),
        caller.requestId());
    Transactions.afterCommit(Objects.requireNonNull(COMMITTED.get(entry.action()))::increment);
  }

  private static Actor actor(Principal principal, boolean viaOperator) {
    return switch (principal) {
      case Principal.Anonymous _ -> new Actor("system", null, null);
      case Principal.Person person ->
          new Actor(viaOperator ? "operator" : "user", person.id().toString(), person.email());
      case Principal.Token token -> new Actor("token", token.id(), token.name());
      case Principal.Cli cli -> new Actor("cli", "cli:" + cli.osUser(), "cli:" + cli.osUser());
    };
  }

  private static String json(List<Change> changes) {
    try {
      return JSON.writeValueAsString(changes);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }
}
