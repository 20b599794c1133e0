package dev.tollgate.server.mail;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tollgate.server.postgres.session.Transactions;
import dev.tollgate.server.postgres.tenants.Seal;
import dev.tollgate.server.postgres.tenants.Seal.StoredSecret;
import dev.tollgate.server.postgres.tenants.Seal.UnsealResult;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
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
    try (PreparedStatement insert =
        connection.prepareStatement(
            "INSERT INTO mail_outbox (id, to_address, kind, message, message_key)"
                + " VALUES (?, ?, ?, ?, ?)")) {
      insert.setObject(1, id);
      insert.setString(2, message.to());
      insert.setString(3, message.kind().wire());
      insert.setBytes(4, stored.bytes());
      insert.setString(5, stored.key());
      insert.executeUpdate();
    }
    Transactions.afterCommit(onAdd);
  }

  /** Leases the mail that has been due longest; empty if none is due. */
  Optional<Leased> lease() throws SQLException {
    try (Connection connection = pool.getConnection();
        PreparedStatement update =
            connection.prepareStatement(
                """
                UPDATE mail_outbox
                   SET lease_until = ledger_now() + make_interval(secs => ?), tries = tries + 1
                 WHERE id = (SELECT id FROM mail_outbox
                              WHERE next_try_at <= ledger_now()
                                AND (lease_until IS NULL OR lease_until < ledger_now())
                              ORDER BY next_try_at LIMIT 1 FOR UPDATE SKIP LOCKED)
                RETURNING id, tries, created_at, to_address, kind, message, message_key""")) {
      update.setInt(1, LEASE_SECONDS);
      try (ResultSet row = update.executeQuery()) {
        return row.next() ? Optional.of(leased(row)) : Optional.empty();
      }
    }
  }

  void delivered(UUID id) throws SQLException {
    try (Connection connection = pool.getConnection();
        PreparedStatement delete =
            connection.prepareStatement("DELETE FROM mail_outbox WHERE id = ?")) {
      delete.setObject(1, id);
      delete.executeUpdate();
    }
  }

  /** Ends the lease of a mail that was not delivered; returns false if that was its last try. */
  boolean failed(Leased mail) throws SQLException {
    boolean isTriedAgain = mail.attempts() < SCHEDULE.size();
    try (Connection connection = pool.getConnection();
        PreparedStatement update =
            connection.prepareStatement(
                isTriedAgain
                    ? "UPDATE mail_outbox SET lease_until = NULL,"
                        + " next_try_at = ledger_now() + make_interval(secs => ?) WHERE id = ?"
                    : "UPDATE mail_outbox SET lease_until = ledger_now(),"
                        + " next_try_at = 'infinity' WHERE ? IS NOT NULL AND id = ?")) {
      update.setDouble(1, isTriedAgain ? SCHEDULE.get(mail.attempts()).toMillis() / 1e3 : 0);
      update.setObject(2, mail.id());
      update.executeUpdate();
    }
    return isTriedAgain;
  }

  private Leased leased(ResultSet row) throws SQLException {
    UUID id = row.getObject("id", UUID.class);
    var stored = new StoredSecret(row.getBytes("message"), row.getString("message_key"));
    return new Leased(
        id,
        row.getInt("tries"),
        row.getObject("created_at", OffsetDateTime.class).toInstant(),
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
