package dev.tollgate.server.account.signin;

import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.server.account.AddressKeys;
import dev.tollgate.server.account.Refused;
import dev.tollgate.server.postgres.session.Statements;
import dev.tollgate.server.postgres.session.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Counters of failed sign-ins and of mails in windows, in the store, so that all nodes share them.
 * A try is counted before its password is checked and given back if it was right, so that tries at
 * the same time cannot pass the limit. Unknown accounts are counted as known ones are.
 */
public final class Throttle {
  static final int PER_ACCOUNT_AND_ADDRESS = 5;
  static final int PER_ACCOUNT = 50;
  static final int PER_ADDRESS = 30;
  static final int MAILS_PER_HOUR = 3;
  static final int SIGN_IN_SECONDS = 15 * 60;
  private static final int MAIL_PAUSE_SECONDS = 60;
  private static final int MAIL_SECONDS = 60 * 60;
  private static final int WARNING_SECONDS = 24 * 60 * 60;
  private static final int BUCKET_HASH_BYTES = 18;

  private static final String COUNT =
      """
      INSERT INTO sign_in_throttle AS t (bucket, count, since) VALUES (?, 1, ledger_now())
      ON CONFLICT (bucket) DO UPDATE
        SET count = CASE WHEN t.since <= ledger_now() - make_interval(secs => ?)
                         THEN 1 ELSE t.count + 1 END,
            since = CASE WHEN t.since <= ledger_now() - make_interval(secs => ?)
                         THEN ledger_now() ELSE t.since END
      RETURNING count, ceil(extract(epoch FROM since - ledger_now()) + ?)::int AS rest_seconds""";

  private final DataSource pool;

  public Throttle(DataSource pool) {
    this.pool = pool;
  }

  /** A counter with its limit; the order is that in which they are locked. */
  private record Bucket(String name, int max) {}

  private record Counted(int count, int restSeconds) {}

  /** A try that was counted. */
  public static final class Attempt {
    private final List<Bucket> buckets;
    private final int failuresOfAccount;

    private Attempt(List<Bucket> buckets, int failuresOfAccount) {
      this.buckets = buckets;
      this.failuresOfAccount = failuresOfAccount;
    }

    /** Returns the tries of the account over all addresses, with this one. */
    int failuresOfAccount() {
      return failuresOfAccount;
    }

    /** Returns the name of the counter of this account and address. */
    String first() {
      return buckets.getFirst().name();
    }
  }

  /**
   * Counts a try to prove an identity.
   *
   * @param account the key of an address, known or not
   * @throws Refused 429 if the account, the client's address or both have failed too often; the try
   *     is not counted then
   */
  public Attempt begin(String account, @Nullable String ip) throws SQLException {
    String network = network(ip);
    List<Bucket> buckets =
        List.of(
            bucket("both", account + " " + network, PER_ACCOUNT_AND_ADDRESS),
            bucket("account", account, PER_ACCOUNT),
            bucket("ip", network, PER_ADDRESS));
    return Transactions.run(
        pool,
        connection -> {
          int ofAccount = 0;
          for (Bucket each : buckets) {
            Counted counted = count(connection, each.name(), SIGN_IN_SECONDS);
            if (counted.count() > each.max()) {
              throw tooMany(counted.restSeconds());
            }
            if (each.max() == PER_ACCOUNT) {
              ofAccount = counted.count();
            }
          }
          return new Attempt(buckets, ofAccount);
        });
  }

  /** Clears the account's counters after a right proof, and takes the try back from the address. */
  void succeeded(Connection connection, Attempt attempt) throws SQLException {
    delete(connection, attempt.buckets.get(0).name());
    delete(connection, attempt.buckets.get(1).name());
    takeBack(connection, attempt.buckets.get(2).name());
  }

  /** Takes back a try whose password was never checked, or was right but did not sign in. */
  void takeBack(Attempt attempt) throws SQLException {
    Transactions.run(
        pool,
        connection -> {
          for (Bucket each : attempt.buckets) {
            takeBack(connection, each.name());
          }
          return attempt;
        });
  }

  /** Counts a sign-up from an address, and refuses too many. */
  void signUp(Connection connection, @Nullable String ip) throws SQLException {
    Counted counted = count(connection, name("signup", network(ip)), SIGN_IN_SECONDS);
    if (counted.count() > PER_ADDRESS) {
      throw tooMany(counted.restSeconds());
    }
  }

  /** True if one more mail may go to an address, known or not; it is counted. */
  static boolean mayMail(Connection connection, String emailKey) throws SQLException {
    return count(connection, name("mail1", emailKey), MAIL_PAUSE_SECONDS).count() == 1
        && count(connection, name("mail3", emailKey), MAIL_SECONDS).count() <= MAILS_PER_HOUR;
  }

  /** True at most daily for an account. */
  static boolean mayWarn(Connection connection, String emailKey) throws SQLException {
    return count(connection, name("warn", emailKey), WARNING_SECONDS).count() == 1;
  }

  private static Bucket bucket(String kind, String value, int max) {
    return new Bucket(name(kind, value), max);
  }

  private static String name(String kind, String value) {
    byte[] hash = Arrays.copyOf(RandomSecret.hash(value), BUCKET_HASH_BYTES);
    return kind + ":" + Base64.getUrlEncoder().encodeToString(hash);
  }

  private static Counted count(Connection connection, String bucket, int seconds)
      throws SQLException {
    return Statements.list(
            connection,
            COUNT,
            row -> new Counted(row.getInt("count"), Math.max(1, row.getInt("rest_seconds"))),
            bucket,
            seconds,
            seconds,
            seconds)
        .getFirst();
  }

  private static void delete(Connection connection, String bucket) throws SQLException {
    Statements.update(connection, "DELETE FROM sign_in_throttle WHERE bucket = ?", bucket);
  }

  private static void takeBack(Connection connection, String bucket) throws SQLException {
    Statements.update(
        connection,
        "UPDATE sign_in_throttle SET count = greatest(count - 1, 1) WHERE bucket = ?",
        bucket);
  }

  private static Refused tooMany(int restSeconds) {
    return new Refused(
        Fault.of(ErrorCode.RATE_LIMITED, "Too many tries; wait before the next one.")
            .withRetryAfter(restSeconds));
  }

  private static String network(@Nullable String ip) {
    return ip == null ? "none" : AddressKeys.of(ip);
  }
}
