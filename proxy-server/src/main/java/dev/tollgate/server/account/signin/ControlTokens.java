package dev.tollgate.server.account.signin;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.core.tenant.ChecksummedText;
import dev.tollgate.server.account.Principal;
import dev.tollgate.server.account.Refused;
import dev.tollgate.server.account.Role;
import dev.tollgate.server.postgres.session.SqlArrays;
import dev.tollgate.server.postgres.session.Statements;
import dev.tollgate.server.settings.value.CidrBlock;
import java.net.InetAddress;
import java.security.MessageDigest;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Authenticator of control tokens, which automation presents as Bearer credentials. */
public final class ControlTokens {
  /** Format of a token's text: {@code tgc_}, the id, 40 random characters and a checksum. */
  public static final ChecksummedText FORMAT = new ChecksummedText("tgc_", 40);

  private static final String SELECT =
      """
      SELECT t.name, t.org_id, t.role, t.hash, t.allowed_ips,
             t.last_used_at IS NULL OR t.last_used_at < ledger_now() - interval '1 minute'
               AS is_use_due
        FROM control_token t
       WHERE t.id = ? AND t.revoked_at IS NULL AND t.expires_at > ledger_now()""";

  private final DataSource pool;

  ControlTokens(DataSource pool) {
    this.pool = pool;
  }

  /** Row of a token. */
  @SuppressWarnings("ArrayRecordComponent") // never compared as a whole
  private record Found(
      Principal.Token token, byte[] hash, List<String> allowedIps, boolean isUseDue) {}

  /**
   * Returns the token that a text is.
   *
   * @throws Refused 401 if it is unknown, revoked or expired, or not for this client address
   */
  Principal.Token authenticate(String text, @Nullable String ip) throws SQLException {
    if (!FORMAT.isWellFormed(text)) {
      throw Refused.unauthenticated();
    }
    String id = FORMAT.idIn(text);
    try (Connection connection = pool.getConnection()) {
      Found found =
          Statements.first(connection, SELECT, row -> found(id, row), id)
              .filter(each -> MessageDigest.isEqual(each.hash(), RandomSecret.hash(text)))
              .filter(each -> isAllowed(each.allowedIps(), ip))
              .orElseThrow(Refused::unauthenticated);
      if (found.isUseDue()) {
        noteUse(connection, id);
      }
      return found.token();
    }
  }

  private static Found found(String id, ResultSet row) throws SQLException {
    UUID org = row.getObject("org_id", UUID.class);
    return new Found(
        new Principal.Token(
            id,
            row.getString("name"),
            org == null ? null : new OrgId(org),
            Role.parse(row.getString("role")).orElse(null)),
        row.getBytes("hash"),
        SqlArrays.strings(row, "allowed_ips"),
        row.getBoolean("is_use_due"));
  }

  private static boolean isAllowed(List<String> blocks, @Nullable String ip) {
    if (blocks.isEmpty()) {
      return true;
    }
    if (ip == null) {
      return false;
    }
    InetAddress address = InetAddress.ofLiteral(ip);
    return blocks.stream()
        .anyMatch(
            each -> CidrBlock.parse(each).filter(block -> block.contains(address)).isPresent());
  }

  private static void noteUse(Connection connection, String id) throws SQLException {
    Statements.update(
        connection, "UPDATE control_token SET last_used_at = ledger_now() WHERE id = ?", id);
  }
}
