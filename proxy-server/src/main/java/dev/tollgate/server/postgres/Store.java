package dev.tollgate.server.postgres;

import com.codahale.metrics.MetricRegistry;
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
import dev.tollgate.server.postgres.ledger.PriceSheetRows;
import dev.tollgate.server.postgres.ledger.RefusalCountRows;
import dev.tollgate.server.postgres.ledger.RequestHistory;
import dev.tollgate.server.postgres.ledger.RequestRows;
import dev.tollgate.server.postgres.ledger.UsageReport;
import dev.tollgate.server.postgres.session.CommandSession;
import dev.tollgate.server.postgres.session.DatabaseAccess;
import dev.tollgate.server.postgres.session.MaintenanceSessions;
import dev.tollgate.server.postgres.session.Migrations;
import dev.tollgate.server.postgres.session.Migrations.Policy;
import dev.tollgate.server.postgres.session.SchemaFloor;
import dev.tollgate.server.postgres.session.StoreOptions;
import dev.tollgate.server.postgres.session.StorePools;
import dev.tollgate.server.postgres.tenants.AccountRetention;
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
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import javax.sql.DataSource;

/**
 * Open PostgreSQL store of the process: the migrated database, its connection pool, and the ports
 * implemented on it. Closing it closes the pool and stops a database that was started for it.
 */
public final class Store implements AutoCloseable {
  private static final int JOIN_ATTEMPTS_MAX = 3;

  private final DataSource pool;
  private final DatabaseAccess database;
  private final Seal seal;
  private final StorePools pools;
  private final Runnable onClose;

  private Store(
      DataSource pool,
      DatabaseAccess database,
      StoreOptions options,
      StorePools pools,
      Runnable onClose) {
    this.pool = pool;
    this.database = database;
    this.seal = new Seal(options.masterKeys());
    this.pools = pools;
    this.onClose = onClose;
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
      throw new StoreException("the partitions of the ledger cannot be created", e);
    }
  }

  /** Opens the store for the process that owns the data directory, without any migration. */
  public static Store openWithoutMigrating(DataDirLock lock, StoreOptions options)
      throws StoreException {
    return open(DatabaseAccess.owned(lock, options), options, Policy.NOTHING);
  }

  /**
   * Opens the store for one command, with or without a running gateway. An existing schema is not
   * migrated: a gateway of an older version may be using it.
   */
  public static Store forCommand(StoreOptions options) throws StoreException {
    Policy policy = options.migrateOnStart() ? Policy.ONLY_NEW : Policy.NOTHING;
    for (int attempt = 1; ; attempt++) {
      DatabaseAccess database = DatabaseAccess.forCommand(options);
      try {
        return openSession(database, options, policy);
      } catch (StoreException e) {
        // Another command may stop its database at the moment in which this one joins it.
        if (!database.isJoined() || attempt == JOIN_ATTEMPTS_MAX) {
          throw e;
        }
      }
    }
  }

  static Store open(DatabaseAccess database, StoreOptions options, Policy policy)
      throws StoreException {
    var pools = new StorePools(database.address(), options);
    try {
      DatabaseAddress address = database.address();
      Migrations.locked(address, connection -> prepare(connection, address, policy));
      return new Store(pools.openFirst(), database, options, pools, () -> {});
    } catch (StoreException | RuntimeException e) {
      database.close();
      throw e;
    }
  }

  private static Store openSession(DatabaseAccess database, StoreOptions options, Policy policy)
      throws StoreException {
    DatabaseAddress address = database.address();
    try {
      var session =
          CommandSession.open(address, connection -> prepare(connection, address, policy));
      var pools = new StorePools(address, options.withPoolMax(1));
      return new Store(session, database, options, pools, session::close);
    } catch (StoreException | RuntimeException e) {
      database.close();
      throw e;
    }
  }

  private static DatabaseAddress prepare(
      Connection connection, DatabaseAddress address, Policy policy)
      throws SQLException, StoreException {
    Migrations.requireNoneInterrupted(connection);
    Migrations.ensureCurrent(connection, address, policy);
    AccountRetention.createMonths(connection); // a command writes the audit log too
    return address;
  }

  /**
   * Creates the first organization if none exists; of several nodes one does. The returned secret
   * is stored nowhere else: the caller must be able to display it.
   */
  public Optional<Bootstrap.Made> bootstrap(Bootstrap.Plan plan) throws StoreException {
    return Migrations.locked(
        database.address(),
        connection -> {
          Migrations.requireNoneInterrupted(connection);
          return Bootstrap.run(connection, seal, plan);
        });
  }

  /**
   * Returns how the embedded database was started; empty if it was running already or is external.
   */
  public Optional<EmbeddedPostgres.StartOutcome> startOutcome() {
    return database.startOutcome();
  }

  public KeyDirectory keyDirectory() {
    return new PostgresKeyDirectory(pool);
  }

  public KeyChanges keyChanges() {
    return new KeyChanges(pool);
  }

  public SchemaFloor schemaFloor() {
    return new SchemaFloor(pool);
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

  /** Returns the ledger store that all nodes share. */
  public PostgresLedgerStore ledgerStore() {
    return new PostgresLedgerStore(pool);
  }

  /**
   * Returns the idempotency store. Stored replies are large and clients may read them at any rate,
   * so they have connections of their own.
   *
   * @param offload runs the statements
   */
  public PostgresIdempotency idempotency(Offload offload, ServerSettings.Idempotency settings) {
    DataSource claimPool = pools.open("submissions", settings.connections());
    return new PostgresIdempotency(claimPool, pool, offload, settings);
  }

  /**
   * Returns the webhook events of all nodes.
   *
   * @param worker a name that no other node has or had
   */
  public Outbox outbox(String worker) {
    return new PostgresOutbox(pool, worker, seal);
  }

  /** Returns the webhook events for operators. */
  public WebhookEvents webhookEvents() {
    return new WebhookEvents(pool);
  }

  /**
   * Returns the media jobs for event loops. Clients may query them at any rate, so they have
   * connections of their own.
   *
   * @param changes threads for statements that may wait for locks
   * @param queries threads for statements that do not
   * @param retention time for which a repeated submission is not carried out again
   * @param ttl time after which a job expires
   * @param onJobDue called when a job needs work; must not block
   */
  public PostgresJobs jobs(
      DedicatedThreads changes,
      DedicatedThreads queries,
      Duration retention,
      Duration ttl,
      Runnable onJobDue) {
    return new PostgresJobs(
        new PostgresJobs.DedicatedPool(pools.open("jobs", changes.count()), changes.offload()),
        new PostgresJobs.DedicatedPool(
            pools.open("job_queries", queries.count()), queries.offload()),
        retention,
        ttl,
        onJobDue);
  }

  /** Worker threads for blocking statements, each with a dedicated database connection. */
  public record DedicatedThreads(Offload offload, int count) {}

  /**
   * Returns the media jobs for workers. There may be many of them, and they poll all the time, so
   * they have connections of their own that charges do not wait for.
   */
  public JobRows jobRows(int connections) {
    return new JobRows(pools.open("job_work", connections));
  }

  /** Returns connections of the control plane, which requests never wait for. */
  public DataSource controlPool(int connections) {
    return pools.openForControl(connections);
  }

  /** Returns the instruments of the pools by name. */
  public Map<String, MetricRegistry> pools() {
    return pools.instruments();
  }

  /** Returns the media jobs for maintenance and tests. */
  public JobRows jobRows() {
    return new JobRows(pool);
  }

  /** Returns the queries of media jobs. */
  public JobViews jobViews() {
    return new JobViews(pool);
  }

  /**
   * Returns the deletion of expired submissions. It uses connections outside of the pool, whose
   * statement timeout is too short for a deletion of many images.
   */
  public ExpiredSubmissions expiredSubmissions() {
    return new ExpiredSubmissions(MaintenanceSessions.dataSource(database.address()));
  }

  /** Returns the account balances of keys. */
  public PostgresAccountBalances accountBalances() {
    return new PostgresAccountBalances(pool);
  }

  /**
   * Returns the request log for requests without a charge.
   *
   * @param lines writes a request's line, a JSON object
   */
  public RequestRows requestRows(Function<RequestRecord, byte[]> lines) {
    return new RequestRows(pool, lines);
  }

  /** Returns the prices that requests were charged by. */
  public PriceSheetRows priceSheets() {
    return new PriceSheetRows(pool);
  }

  /** Returns the counts of refused requests that are not in the request log. */
  public RefusalCountRows refusalCounts() {
    return new RefusalCountRows(pool);
  }

  /**
   * Accepts and records that the ledger store lacks charges of a node's journal before a segment.
   */
  public void acceptRollback(UUID node, long keptFrom, String actor) throws SQLException {
    PostgresNodeCheckpoints.acceptRollback(pool, node, keptFrom, actor);
  }

  /**
   * Returns the maintenance of partitions. It uses connections outside of the pool, whose statement
   * timeout is too short for the sums of a large day.
   */
  public LedgerPartitions ledgerPartitions() {
    return new LedgerPartitions(MaintenanceSessions.dataSource(database.address()));
  }

  /**
   * Returns the queries of the request log. They use connections outside of the pool, whose
   * statement timeout is too short for a large log.
   */
  public RequestHistory requestHistory() {
    return new RequestHistory(Migrations.plain(database.address()));
  }

  /** Returns the query of usage sums, which uses connections outside of the pool too. */
  public UsageReport usageReport() {
    return new UsageReport(Migrations.plain(database.address()));
  }

  /** Returns the nodes that the ledger store knows. */
  public LedgerNodes ledgerNodes() {
    return new LedgerNodes(pool, MaintenanceSessions.dataSource(database.address()));
  }

  /** Returns the charges that the ledger store refused. */
  public LedgerQuarantine ledgerQuarantine() {
    return new LedgerQuarantine(pool);
  }

  /**
   * Returns the ledger's audit. It uses connections outside of the pool, whose statement timeout is
   * too short for the sums of a large ledger.
   */
  public LedgerAudit ledgerAudit() {
    return new LedgerAudit(MaintenanceSessions.dataSource(database.address()));
  }

  /** Returns the retention of accounts. It uses connections outside of the pool. */
  public AccountRetention accountRetention() {
    return new AccountRetention(MaintenanceSessions.dataSource(database.address()));
  }

  /** Returns the cipher of secrets in the store. */
  public Seal seal() {
    return seal;
  }

  /** Returns unpooled sessions for long statements of further ports. */
  public DataSource maintenanceSessions() {
    return MaintenanceSessions.dataSource(database.address());
  }

  /** Returns the pool for further ports. */
  public DataSource pool() {
    return pool;
  }

  @Override
  public void close() {
    pools.close();
    onClose.run();
    database.close();
  }
}
