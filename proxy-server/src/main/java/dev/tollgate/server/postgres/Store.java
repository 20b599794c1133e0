package dev.tollgate.server.postgres;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import com.zaxxer.hikari.pool.HikariPool.PoolInitializationException;
import dev.tollgate.core.exchange.frame.Offload;
import dev.tollgate.core.exchange.frame.RequestRecord;
import dev.tollgate.core.tenant.KeyDirectory;
import dev.tollgate.core.webhook.Outbox;
import dev.tollgate.server.postgres.embedded.DataDirLock;
import dev.tollgate.server.postgres.embedded.DatabaseAddress;
import dev.tollgate.server.postgres.embedded.EmbeddedPostgres;
import dev.tollgate.server.postgres.embedded.StoreException;
import dev.tollgate.server.postgres.idempotency.PostgresIdempotency;
import dev.tollgate.server.postgres.jobs.ExpiredSubmissions;
import dev.tollgate.server.postgres.jobs.JobRows;
import dev.tollgate.server.postgres.jobs.JobViews;
import dev.tollgate.server.postgres.jobs.PostgresJobs;
import dev.tollgate.server.postgres.ledger.LedgerAudit;
import dev.tollgate.server.postgres.ledger.LedgerNodes;
import dev.tollgate.server.postgres.ledger.LedgerPartitions;
import dev.tollgate.server.postgres.ledger.LedgerQuarantine;
import dev.tollgate.server.postgres.ledger.PostgresAccountBalances;
import dev.tollgate.server.postgres.ledger.PostgresLedgerStore;
import dev.tollgate.server.postgres.ledger.PostgresNodeCheckpoints;
import dev.tollgate.server.postgres.ledger.RequestHistory;
import dev.tollgate.server.postgres.ledger.RequestRows;
import dev.tollgate.server.postgres.ledger.UsageReport;
import dev.tollgate.server.postgres.session.ConnectionPool;
import dev.tollgate.server.postgres.session.DatabaseAccess;
import dev.tollgate.server.postgres.session.MaintenanceSessions;
import dev.tollgate.server.postgres.session.Migrations;
import dev.tollgate.server.postgres.session.Migrations.Policy;
import dev.tollgate.server.postgres.session.StoreOptions;
import dev.tollgate.server.postgres.tenants.ApiKeys;
import dev.tollgate.server.postgres.tenants.Bootstrap;
import dev.tollgate.server.postgres.tenants.Credits;
import dev.tollgate.server.postgres.tenants.KeyChanges;
import dev.tollgate.server.postgres.tenants.Organizations;
import dev.tollgate.server.postgres.tenants.PostgresKeyDirectory;
import dev.tollgate.server.postgres.tenants.Seal;
import dev.tollgate.server.postgres.tenants.WebhookSecrets;
import dev.tollgate.server.postgres.webhook.PostgresOutbox;
import dev.tollgate.server.postgres.webhook.WebhookEvents;
import dev.tollgate.server.settings.ServerSettings;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import javax.sql.DataSource;

/**
 * The open store: a migrated database, the pool to it, and what the gateway reads and writes there.
 * Closing it ends the pool and, where it was started for it, the database.
 */
public final class Store implements AutoCloseable {
  private static final int JOIN_ATTEMPTS_MAX = 3;

  private final HikariDataSource pool;
  private final DatabaseAccess database;
  private final StoreOptions options;
  private final Seal seal;
  private final List<HikariDataSource> extraPools = new CopyOnWriteArrayList<>();

  private Store(HikariDataSource pool, DatabaseAccess database, StoreOptions options) {
    this.pool = pool;
    this.database = database;
    this.options = options;
    this.seal = new Seal(options.masterKeys());
  }

  /**
   * Opens the store for the process that owns the data directory: starts an embedded database and
   * migrates.
   */
  public static Store start(DataDirLock lock, StoreOptions options) throws StoreException {
    Policy policy = options.migrateOnStart() ? Policy.ALL : Policy.NOTHING;
    Store store = open(DatabaseAccess.owned(lock, options), options, policy);
    try {
      store.ledgerPartitions().createAhead();
      return store;
    } catch (SQLException e) {
      store.close();
      throw new StoreException("the days of the ledger cannot be made", e);
    }
  }

  /** Opens it for the process that owns the data directory, and changes nothing in it. */
  public static Store openWithoutMigrating(DataDirLock lock, StoreOptions options)
      throws StoreException {
    return open(DatabaseAccess.owned(lock, options), options, Policy.NOTHING);
  }

  /**
   * Opens the store for one command, beside a gateway that runs or without one. A schema that is
   * there is not migrated: a gateway of an older version may be using it.
   */
  public static Store forCommand(StoreOptions options) throws StoreException {
    Policy policy = options.migrateOnStart() ? Policy.ONLY_NEW : Policy.NOTHING;
    for (int attempt = 1; ; attempt++) {
      DatabaseAccess database = DatabaseAccess.forCommand(options);
      try {
        return open(database, options.withPoolMax(1), policy);
      } catch (StoreException e) {
        // Another command's database may end in the moment in which we join it.
        if (!database.isJoined() || attempt == JOIN_ATTEMPTS_MAX) {
          throw e;
        }
      }
    }
  }

  static Store open(DatabaseAccess database, StoreOptions options, Policy policy)
      throws StoreException {
    try {
      prepare(database.address(), policy);
      return new Store(ConnectionPool.open(database.address(), options), database, options);
    } catch (PoolInitializationException e) {
      database.close();
      throw new StoreException("the database refuses connections", e);
    } catch (StoreException | RuntimeException e) {
      database.close();
      throw e;
    }
  }

  private static void prepare(DatabaseAddress address, Policy policy) throws StoreException {
    Migrations.locked(
        address,
        connection -> {
          Migrations.requireNoneInterrupted(connection);
          Migrations.ensureCurrent(connection, address, policy);
          return address;
        });
  }

  /**
   * Makes the first organization where there is none; of many nodes one does. The secret that it
   * returns is known nowhere else: whoever calls this must be able to show it.
   */
  public Optional<Bootstrap.Made> bootstrap(Bootstrap.Plan plan) throws StoreException {
    return Migrations.locked(
        database.address(),
        connection -> {
          Migrations.requireNoneInterrupted(connection);
          return Bootstrap.run(connection, seal, plan);
        });
  }

  /** How the embedded database came up; empty where it was up or is elsewhere. */
  public Optional<EmbeddedPostgres.StartOutcome> startOutcome() {
    return database.startOutcome();
  }

  public KeyDirectory keyDirectory() {
    return new PostgresKeyDirectory(pool);
  }

  public KeyChanges keyChanges() {
    return new KeyChanges(pool);
  }

  public Organizations organizations() {
    return new Organizations(pool, seal);
  }

  public WebhookSecrets webhookSecrets() {
    return new WebhookSecrets(pool, seal);
  }

  public ApiKeys apiKeys() {
    return new ApiKeys(pool);
  }

  public Credits credits() {
    return new Credits(pool);
  }

  /** The books that all nodes share. */
  public PostgresLedgerStore ledgerStore() {
    return new PostgresLedgerStore(pool);
  }

  /**
   * Submissions that carry a key. What they store is large and clients ask for it as often as they
   * like, so that it has connections of its own.
   *
   * @param offload where its statements run
   */
  public PostgresIdempotency idempotency(Offload offload, ServerSettings.Idempotency settings) {
    HikariDataSource claimPool = openPool("submissions", settings.connections());
    return new PostgresIdempotency(claimPool, pool, offload, settings);
  }

  /**
   * The announcements that all nodes make.
   *
   * @param worker what no other node is called, and none was
   */
  public Outbox outbox(String worker) {
    return new PostgresOutbox(pool, worker, seal);
  }

  /** The announcements for people. */
  public WebhookEvents webhookEvents() {
    return new WebhookEvents(pool);
  }

  /**
   * Media jobs, for event loops. They are asked for as often as clients like, so that they have
   * connections of their own.
   *
   * @param changes where statements run that may wait for locks, and how many at a time
   * @param queries the same for those that do not
   * @param retention how long a submission is not carried out a second time
   * @param ttl after which a job expires
   * @param onJobDue something is to be done with a job; it must not block
   */
  public PostgresJobs jobs(
      DedicatedThreads changes,
      DedicatedThreads queries,
      Duration retention,
      Duration ttl,
      Runnable onJobDue) {
    return new PostgresJobs(
        new PostgresJobs.DedicatedPool(openPool("jobs", changes.count()), changes.offload()),
        new PostgresJobs.DedicatedPool(openPool("job_queries", queries.count()), queries.offload()),
        retention,
        ttl,
        onJobDue);
  }

  /** Threads that have connections to themselves, one each. */
  public record DedicatedThreads(Offload offload, int count) {}

  /**
   * Media jobs, for workers. There may be many of them, and they look for work all the time, so
   * that they have connections of their own: those who charge do not wait for them.
   */
  public JobRows jobRows(int connections) {
    return new JobRows(openPool("job_work", connections));
  }

  /** Opens a pool beside the first, which ends with the store. */
  private HikariDataSource openPool(String name, int connections) {
    HikariDataSource extraPool =
        ConnectionPool.openOnDemand(name, database.address(), options.withPoolMax(connections));
    extraPools.add(extraPool);
    return extraPool;
  }

  /** What a pool's connections do. */
  public record PoolStats(int inUse, int waiting) {}

  /** The pools by their names. */
  public Map<String, PoolStats> pools() {
    Map<String, PoolStats> stats = new TreeMap<>();
    stats.put(pool.getPoolName(), stats(pool));
    extraPools.forEach(each -> stats.put(each.getPoolName(), stats(each)));
    return stats;
  }

  private static PoolStats stats(HikariDataSource pool) {
    HikariPoolMXBean now = pool.getHikariPoolMXBean();
    return now == null
        ? new PoolStats(0, 0)
        : new PoolStats(now.getActiveConnections(), now.getThreadsAwaitingConnection());
  }

  /** Media jobs, for chores and tests. */
  public JobRows jobRows() {
    return new JobRows(pool);
  }

  /** Media jobs, for those who look. */
  public JobViews jobViews() {
    return new JobViews(pool);
  }

  /** Outside of the pool, whose connections give up before many images are deleted. */
  public ExpiredSubmissions expiredSubmissions() {
    return new ExpiredSubmissions(MaintenanceSessions.dataSource(database.address()));
  }

  /** How keys stand in them. */
  public PostgresAccountBalances accountBalances() {
    return new PostgresAccountBalances(pool);
  }

  /**
   * The request log, for requests without a charge.
   *
   * @param lines writes a request's line, a JSON object
   */
  public RequestRows requestRows(Function<RequestRecord, byte[]> lines) {
    return new RequestRows(pool, lines);
  }

  /** Accepts that the books lack charges of a node's journal before a segment, and notes it. */
  public void acceptRollback(UUID node, long keptFrom, String actor) throws SQLException {
    PostgresNodeCheckpoints.acceptRollback(pool, node, keptFrom, actor);
  }

  /** Outside of the pool, whose connections give up before a large day is summed. */
  public LedgerPartitions ledgerPartitions() {
    return new LedgerPartitions(MaintenanceSessions.dataSource(database.address()));
  }

  /** Outside of the pool, whose connections give up before a large log is read. */
  public RequestHistory requestHistory() {
    return new RequestHistory(Migrations.plain(database.address()));
  }

  /** Outside of the pool too. */
  public UsageReport usageReport() {
    return new UsageReport(Migrations.plain(database.address()));
  }

  /** The nodes as the books know them. */
  public LedgerNodes ledgerNodes() {
    return new LedgerNodes(pool, MaintenanceSessions.dataSource(database.address()));
  }

  /** The charges that the books refused. */
  public LedgerQuarantine ledgerQuarantine() {
    return new LedgerQuarantine(pool);
  }

  /** Outside of the pool, whose connections give up before a large ledger is summed. */
  public LedgerAudit ledgerAudit() {
    return new LedgerAudit(MaintenanceSessions.dataSource(database.address()));
  }

  /** The pool itself, for further ports. */
  public DataSource pool() {
    return pool;
  }

  @Override
  public void close() {
    extraPools.forEach(HikariDataSource::close);
    pool.close();
    database.close();
  }
}
