package dev.tollgate.server.settings;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.id.ProviderId;
import dev.tollgate.core.tenant.ApiKeyText;
import dev.tollgate.server.settings.binding.DidYouMean;
import dev.tollgate.server.settings.binding.SourceLocations;
import dev.tollgate.server.settings.value.BindAddress;
import dev.tollgate.server.settings.value.HttpUrl;
import dev.tollgate.server.settings.value.StoreUrl;
import dev.tollgate.server.settings.yaml.ConfigNode;
import dev.tollgate.server.settings.yaml.Problems;
import dev.tollgate.server.settings.yaml.SettingPaths;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Validates bound settings against rules that involve several keys or sections of the
 * configuration.
 */
final class SettingsChecks {
  /** Least outage grace; a shorter time would treat a slow reply of the store as an outage. */
  private static final Duration OUTAGE_GRACE_MIN = Duration.ofSeconds(2);

  private static final Pattern REDIS_URL =
      Pattern.compile("rediss?://[^\\s#]+|rediss?-sentinel://[^\\s#]+#[^\\s#]+");

  private static final Pattern PLAIN_REDIS_ELSEWHERE =
      Pattern.compile(
          "redis(-sentinel)?://([^@/]*@)?+(?!(localhost|127\\.[0-9.]+|\\[::1\\])(:|/|\\?|#|$))");

  private final Settings settings;
  private final ConfigNode.Mapping tree;
  private final Set<String> ofWildcards;
  private final SectionProblems problems;

  /**
   * @param ofWildcards ids of the models that the entries of whole vendors stand for
   */
  SettingsChecks(
      Settings settings,
      ConfigNode.Mapping tree,
      Set<String> ofWildcards,
      SourceLocations locations,
      Problems problems) {
    this.settings = settings;
    this.tree = tree;
    this.ofWildcards = ofWildcards;
    this.problems = new SectionProblems("", locations, problems);
  }

  /** Checks the sections of a part, and what they say about each other. */
  void run(SettingsPart part) {
    if (part.reads("listeners")) {
      checkListeners();
    }
    if (part.reads("control_plane")) {
      checkMail();
    }
    if (part.reads("store")) {
      checkStore();
    }
    if (part.reads("redis")) {
      checkRedis();
    }
    if (part.reads("bootstrap")) {
      checkBootstrap();
    }
    if (part.reads("ledger")) {
      checkLedger();
    }
    if (part.reads("media")) {
      checkMedia();
    }
    if (part.reads("object_storage")) {
      checkObjectStorage();
    }
    if (part.reads("providers")) {
      checkModels();
    }
  }

  private void checkObjectStorage() {
    new ObjectStorageChecks(problems.in("object_storage"))
        .check(settings.objectStorage(), settings.listeners().api());
  }

  private void checkModels() {
    settings.providers().forEach(this::checkProvider);
    var models = new ModelChecks(names("providers"), settings.providers(), ofWildcards, problems);
    settings.models().forEach(models::check);
    models.warnOfUnusedProviders(settings.models().values());
    checkReferencedModels();
    new AliasChecks(names("models"), problems).check(settings);
  }

  private void checkProvider(ProviderId id, ProviderSettings provider) {
    if (provider instanceof RemoteProvider remote) {
      ProviderChecks.check(remote, problems.in("providers." + id));
    }
  }

  /** Returns the names as written, also those of unreadable entries: they can be referenced. */
  private Set<String> names(String section) {
    ConfigNode.Entry entry = tree.entries().get(section);
    return entry != null && entry.value() instanceof ConfigNode.Mapping mapping
        ? mapping.entries().keySet()
        : Set.of();
  }

  private void checkListeners() {
    ListenerSettings listeners = settings.listeners();
    boolean open = !listeners.admin().address().isLoopback();
    if (open && listeners.admin().token() == null && !problems.isReported("listeners.admin")) {
      problems.add("listeners.admin.address", "is not on loopback and needs listeners.admin.token");
    }
    String health = listeners.api().healthPath();
    if (health != null && health.matches("/(v1|artifacts)(/.*)?")) {
      problems.add("listeners.api.health_path", "must not be a path of the API");
    }
    checkControl(listeners.control());
    Map<BindAddress, String> bound = new LinkedHashMap<>();
    requireDistinct(bound, listeners.api().address(), "listeners.api.address");
    requireDistinct(bound, listeners.control().address(), "listeners.control.address");
    requireDistinct(bound, listeners.admin().address(), "listeners.admin.address");
  }

  /** Passwords and sessions must not cross a network in the clear. */
  private void checkControl(ListenerSettings.Control control) {
    BindAddress address = control.address();
    HttpUrl url = control.publicUrl();
    boolean secure = control.tls() != null || (url != null && url.tls());
    if (url != null && !url.path().isEmpty()) {
      problems.add("listeners.control.public_url", "must not have a path");
    }
    if (address == null || address.isLoopback() || secure) {
      return;
    }
    if (control.allowPlainHttp()) {
      problems.warn(
          "listeners.control.address",
          "is not on loopback and has no https: passwords and sessions can be read on the way");
    } else {
      problems.add(
          "listeners.control.address",
          "is not on loopback and needs listeners.control.tls, an https public_url, or"
              + " allow_plain_http");
    }
  }

  private void checkMail() {
    var mail = settings.controlPlane().email();
    if (mail.smtp() != null && mail.from() == null) {
      problems.add("control_plane.email.from", "is needed with control_plane.email.smtp");
    }
  }

  private void requireDistinct(
      Map<BindAddress, String> bound, @Nullable BindAddress address, String path) {
    if (address == null || address.port() == 0) {
      return;
    }
    String other = bound.putIfAbsent(address, path);
    if (other != null) {
      problems.add(path, "is the address of " + other + " too");
    }
  }

  private void checkStore() {
    StoreSettings store = settings.store();
    if (store.url() instanceof StoreUrl.Embedded) {
      if (store.username() != null) {
        problems.add("store.username", "has no effect with the embedded store");
      }
      if (store.password() != null) {
        problems.add("store.password", "has no effect with the embedded store");
      }
    }
    if (store.url() instanceof StoreUrl.Jdbc jdbc && !jdbc.isVerified()) {
      problems.warn(
          "store.url",
          "is neither encrypted nor verified for certain: add sslmode=verify-full to the URL");
    }
    if (Set.copyOf(store.masterKeys()).size() < store.masterKeys().size()) {
      problems.add("store.master_keys", "has the same key twice");
    }
  }

  private void checkRedis() {
    Secret url = settings.redis().url();
    if (url != null && !REDIS_URL.matcher(url.reveal()).matches()) {
      problems.add(
          "redis.url",
          "is not redis://host:port, rediss://host:port or redis-sentinel://host:port#master");
    } else if (url != null && PLAIN_REDIS_ELSEWHERE.matcher(url.reveal()).lookingAt()) {
      problems.warn("redis.url", "sends its password in the clear: use rediss://");
    }
  }

  private void checkBootstrap() {
    BootstrapSettings bootstrap = settings.bootstrap();
    if (bootstrap != null
        && bootstrap.apiKey() != null
        && ApiKeyText.parse(bootstrap.apiKey().reveal()) instanceof ApiKeyText.MalformedKey) {
      problems.add(
          "bootstrap.api_key",
          "is not of the form of an API key: one printed by tollgate keys create, or null");
    }
  }

  private void checkLedger() {
    Duration grace = settings.ledger().outageGrace();
    if (!grace.isZero() && grace.compareTo(OUTAGE_GRACE_MIN) < 0) {
      problems.add("ledger.outage_grace", "must be 0s or at least 2s");
    }
    var kept = settings.ledger().retention();
    if (kept.requests().time().compareTo(kept.charges()) > 0) {
      problems.add(
          "ledger.retention.requests.time", "must not be longer than ledger.retention.charges");
    }
  }

  private void checkMedia() {
    var media = settings.media();
    if (media.spoolBytesMax() < media.artifactBytesMax()) {
      problems.add("media.max_spool_bytes", "must be at least media.max_artifact_bytes");
    }
  }

  private void checkReferencedModels() {
    Set<String> models = names("models");
    for (ModelId id : settings.limits().model().overrides().keySet()) {
      if (!models.contains(id.toString())) {
        String path = SettingPaths.join("limits.model.overrides", id.toString());
        problems.add(path, "there is no such model" + DidYouMean.hint(id.toString(), models));
      }
    }
  }
}
