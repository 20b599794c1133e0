package dev.tollgate.server.mail;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tollgate.server.postgres.session.Statements;
import dev.tollgate.server.postgres.session.Transactions;
import dev.tollgate.server.postgres.tenants.Seal;
import dev.tollgate.server.postgres.tenants.Seal.StoredSecret;
import dev.tollgate.server.postgres.tenants.Seal.UnsealResult;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Mails that wait in the store. A change and its mail are one transaction; each mail is leased to
 * one node at a time, tried five times, and deleted as soon as it was delivered.
 */
public final class MailOutbox {
  /** Waiting times before the tries. */
  static final List<Duration> SCHEDULE =
      List.of(
          Duration.ZERO,
          Duration.ofSeconds(30),
          Duration.ofMinutes(5),
          Duration.ofMinutes(30),
          Duration.ofHours(2));

  /** Longer than a delivery may take. */
  private static final int LEASE_SECONDS = 120;

  private static final ObjectMapper JSON = new ObjectMapper();

  private final DataSource pool;
  private final Seal seal;
  private final boolean isSmtp;
  private volatile Runnable onAdd = () -> {};

  /**
   * @param seal encrypts the messages, which contain secret links
   * @param isSmtp false: mails become files, and links are returned to callers who may hand them on
   */
  public MailOutbox(DataSource pool, Seal seal, boolean isSmtp) {
    this.pool = pool;
    this.seal = seal;
    this.isSmtp = isSmtp;
  }

  /** Mail that this node may deliver now; {@code message} is empty if it cannot be decrypted. */
  record Leased(UUID id, int attempts, Instant createdAt, Optional<MailMessage> message) {}

  /** True if mails reach people. */
  public boolean reachesPeople() {
    return isSmtp;
  }

  /** Sets what is called after the commit of each mail that this node adds. */
  void onAdd(Runnable call) {
    onAdd = call;
  }

  /** Adds a mail, in the transaction of the change that it tells of. */
  public void add(Connection connection, MailMessage message) throws SQLException {
    UUID id = UUID.randomUUID();
    StoredSecret stored = seal.seal(purpose(id), bytes(message));
    Statements.update(
        connection,
        "INSERT INTO mail_outbox (id, to_address, kind, message, message_key)"
            + " VALUES (?, ?, ?, ?, ?)",
        id,
        message.to(),
        message.kind().wire(),
        stored.bytes(),
        stored.key());
    Transactions.afterCommit(onAdd);
  }

  /** Leases the mail that has been due longest; empty if none is due. */
  Optional<Leased> lease() throws SQLException {
    return Statements.list(
            pool,
            """
            UPDATE mail_outbox
               SET lease_until = ledger_now() + make_interval(secs => ?), tries = tries + 1
             WHERE id = (SELECT id FROM mail_outbox
                          WHERE next_try_at <= ledger_now()
                            AND (lease_until IS NULL OR lease_until < ledger_now())
                          ORDER BY next_try_at LIMIT 1 FOR UPDATE SKIP LOCKED)
            RETURNING id, tries, created_at, to_address, kind, message, message_key""",
            this::leased,
            LEASE_SECONDS)
        .stream()
        .findFirst();
  }

  void delivered(UUID id) throws SQLException {
    try (Connection connection = pool.getConnection()) {
      Statements.update(connection, "DELETE FROM mail_outbox WHERE id = ?", id);
    }
  }

  /** Ends the lease of a mail that was not delivered; returns false if that was its last try. */
  boolean failed(Leased mail) throws SQLException {
    boolean isTriedAgain = mail.attempts() < SCHEDULE.size();
    try (Connection connection = pool.getConnection()) {
      if (isTriedAgain) {
        Statements.update(
            connection,
            "UPDATE mail_outbox SET lease_until = NULL,"
                + " next_try_at = ledger_now() + make_interval(secs => ?) WHERE id = ?",
            SCHEDULE.get(mail.attempts()).toMillis() / 1e3,
            mail.id());
      } else {
        Statements.update(
            connection,
            "UPDATE mail_outbox SET lease_until = ledger_now(), next_try_at = 'infinity'"
                + " WHERE id = ?",
            mail.id());
      }
    }
    return isTriedAgain;
  }

  private Leased leased(ResultSet row) throws SQLException {
    UUID id = row.getObject("id", UUID.class);
    var stored = new StoredSecret(row.getBytes("message"), row.getString("message_key"));
    return new Leased(
        id,
        row.getInt("tries"),
        Statements.requiredInstant(row, "created_at"),
        message(id, stored, MailKind.of(row.getString("kind")), row.getString("to_address")));
  }

  private Optional<MailMessage> message(UUID id, StoredSecret stored, MailKind kind, String to) {
    return switch (seal.open(purpose(id), stored)) {
      case UnsealResult.Opened(byte[] bytes) -> Optional.of(read(bytes, kind, to));
      case UnsealResult.KeyMissing _, UnsealResult.Damaged _ -> Optional.empty();
    };
  }

  private static String purpose(UUID id) {
    return "mail " + id;
  }

  private static byte[] bytes(MailMessage message) {
    ObjectNode json =
        JSON.createObjectNode().put("subject", message.subject()).put("link", message.link());
    message.paragraphs().forEach(json.putArray("paragraphs")::add);
    try {
      return JSON.writeValueAsBytes(json);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a JSON tree can always be written", e);
    }
  }

  private static MailMessage read(byte[] bytes, MailKind kind, String to) {
    try {
      JsonNode json = JSON.readTree(bytes);
      List<String> paragraphs = new ArrayList<>();
      json.path("paragraphs").forEach(each -> paragraphs.add(each.asText()));
      JsonNode link = json.path("link");
      @Nullable String target = link.isTextual() ? link.asText() : null;
      return new MailMessage(kind, to, json.path("subject").asText(), paragraphs, target);
    } catch (IOException e) {
      throw new IllegalStateException("the store contains an invalid mail", e);
    }
  }
}
