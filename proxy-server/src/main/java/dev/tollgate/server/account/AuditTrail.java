package dev.tollgate.server.account;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.tollgate.core.id.OrgId;
import dev.tollgate.server.account.AuditEntry.Change;
import dev.tollgate.server.account.AuditEntry.Target;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writer of the audit log: each row is written in the transaction of its change, so a change
 * without its row cannot be committed.
 */
public final class AuditTrail {
  private static final int USER_AGENT_CHARS_MAX = 200;
  private static final JsonFactory JSON = new JsonFactory();
  private static final String INSERT =
      """
      INSERT INTO audit_event (org_id, actor_kind, actor_id, actor_name, action,
        target_kind, target_id, target_name, changes, ip, user_agent, request_id)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""";

  private AuditTrail() {}

  private record Actor(String kind, @Nullable String id, @Nullable String name) {}

  /** Writes an action of a caller with its own rights. */
  public static void write(Connection connection, Caller caller, AuditEntry entry)
      throws SQLException {
    write(connection, caller, false, entry);
  }

  /** Writes an action in an organization, marked if the caller acted with an operator's rights. */
  public static void write(Connection connection, OrgAccess access, AuditEntry entry)
      throws SQLException {
    write(connection, access.caller(), access.isViaOperator(), entry);
  }

  private static void write(
      Connection connection, Caller caller, boolean viaOperator, AuditEntry entry)
      throws SQLException {
    Actor actor = actor(caller.principal(), viaOperator);
    OrgId org = entry.org();
    Target target = entry.target();
    String userAgent = caller.userAgent();
    try (PreparedStatement insert = connection.prepareStatement(INSERT)) {
      insert.setObject(1, org == null ? null : org.value());
      insert.setString(2, actor.kind());
      insert.setString(3, actor.id());
      insert.setString(4, actor.name());
      insert.setString(5, entry.action().wire());
      insert.setString(6, target == null ? null : target.kind());
      insert.setString(7, target == null ? null : target.id());
      insert.setString(8, target == null ? null : target.name());
      insert.setString(9, json(entry.changes()));
      insert.setString(10, caller.ip());
      insert.setString(11, userAgent == null ? null : shortened(userAgent));
      insert.setString(12, caller.requestId());
      insert.executeUpdate();
    }
  }

  private static String shortened(String userAgent) {
    return userAgent.substring(0, Math.min(userAgent.length(), USER_AGENT_CHARS_MAX));
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
    var text = new StringWriter();
    try (JsonGenerator json = JSON.createGenerator(text)) {
      json.writeStartArray();
      for (Change change : changes) {
        json.writeStartObject();
        json.writeStringField("field", change.field());
        value(json, "from", change.from());
        value(json, "to", change.to());
        json.writeEndObject();
      }
      json.writeEndArray();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return text.toString();
  }

  private static void value(JsonGenerator json, String name, @Nullable Object value)
      throws IOException {
    json.writeFieldName(name);
    element(json, value);
  }

  private static void element(JsonGenerator json, @Nullable Object value) throws IOException {
    switch (value) {
      case null -> json.writeNull();
      case Boolean bool -> json.writeBoolean(bool);
      case Integer number -> json.writeNumber(number);
      case Long number -> json.writeNumber(number);
      case Iterable<?> list -> {
        json.writeStartArray();
        for (Object each : list) {
          element(json, each);
        }
        json.writeEndArray();
      }
      default -> json.writeString(String.valueOf(value));
    }
  }
}
