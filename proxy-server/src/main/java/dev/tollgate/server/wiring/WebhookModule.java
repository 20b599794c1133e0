package dev.tollgate.server.wiring;

import dev.tollgate.core.egress.PostClient;
import dev.tollgate.core.egress.PostRules;
import dev.tollgate.core.egress.PublicAddressResolver;
import dev.tollgate.core.egress.PublicConnector;
import dev.tollgate.core.storage.BlobStore;
import dev.tollgate.core.webhook.Outbox.Unsignable;
import dev.tollgate.core.webhook.RetrySchedule;
import dev.tollgate.server.metrics.Metrics;
import dev.tollgate.server.metrics.StoreFamily;
import dev.tollgate.server.metrics.WebhookFamily;
import dev.tollgate.server.ops.WebhookMetrics;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.settings.WebhookSettings;
import dev.tollgate.server.webhook.BlockingPostClient;
import dev.tollgate.server.webhook.SenderRules;
import dev.tollgate.server.webhook.StoredJobPayloads;
import dev.tollgate.server.webhook.WebhookSender;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Wiring of the sender that delivers webhooks about finished jobs, by the configuration in use. */
final class WebhookModule {
  private static final Logger LOG = LoggerFactory.getLogger(WebhookModule.class);
  private static final double NANOS = 1e9;

  private WebhookModule() {}

  /**
   * Returns the sender of webhooks on a node with object storage; without one there are no jobs. It
   * is started after the listener, because webhooks contain URLs of artifacts, and woken when a job
   * ends on this node.
   */
  static Optional<WebhookSender> prepare(
      Store store, StorageModule storage, Network network, Snapshots snapshots, Metrics metrics)
      throws StartException {
    // A resolver of its own, whose look-ups are bounded by the attempts: host names of dead
    // receivers must not delay fetches of images.
    var resolver = new PublicAddressResolver(network.clientNames());
    var connector =
        new PublicConnector(
            resolver, network.addressConnector(), () -> snapshots.now().webhookTls());
    return storage
        .blobs()
        .map(blobs -> sender(store, blobs, network, connector, snapshots, metrics));
  }

  private static WebhookSender sender(
      Store store,
      BlobStore blobs,
      Network network,
      PublicConnector connector,
      Snapshots snapshots,
      Metrics metrics) {
    var poster = new PostClient(connector, () -> postRules(snapshots));
    var sender =
        WebhookSender.of(
            store.outbox(UUID.randomUUID().toString()),
            new StoredJobPayloads(store.jobViews(), blobs),
            new BlockingPostClient(network.loops(), poster),
            new WebhookMetrics(metrics),
            () -> senderRules(snapshots),
            InstantSource.system());
    if (!store.webhookSecrets().isSealingEnabled()) {
      LOG.info("webhook secrets are stored unencrypted, because store.master_keys has no key");
    }
    metrics.gauge(WebhookFamily.WEBHOOKS_IN_FLIGHT, sender::inFlight);
    metrics.gauge(StoreFamily.STORE_FAILING, "webhooks", sender.outage()::gauge);
    metrics.gauge(WebhookFamily.WEBHOOKS_PENDING, () -> sender.depth().pending());
    metrics.gauge(WebhookFamily.WEBHOOKS_OVERDUE, () -> sender.depth().oldest().toNanos() / NANOS);
    metrics.gauges(WebhookFamily.WEBHOOKS_LOCKED, () -> byCause(sender.unsignable()));
    return sender;
  }

  private static Map<String, Long> byCause(Unsignable locked) {
    return Map.of(
        Unsignable.KEY_MISSING,
        locked.keyMissing(),
        Unsignable.SECRET_DAMAGED,
        locked.secretDamaged());
  }

  private static PostRules postRules(Snapshots snapshots) {
    return new PostRules(snapshots.fetches().urls(), settings(snapshots).timeout());
  }

  private static SenderRules senderRules(Snapshots snapshots) {
    WebhookSettings now = settings(snapshots);
    return new SenderRules(new RetrySchedule(now.schedule()), now.timeout());
  }

  private static WebhookSettings settings(Snapshots snapshots) {
    return snapshots.now().settings().webhooks();
  }
}
