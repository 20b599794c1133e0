package dev.tollgate.server.settings;

import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.id.ProviderId;
import dev.tollgate.server.settings.binding.Key;
import dev.tollgate.server.settings.binding.MaskedJson;
import dev.tollgate.server.settings.binding.SchemaWriter;
import dev.tollgate.server.settings.binding.SettingType;
import dev.tollgate.server.settings.binding.SettingTypes;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The whole configuration, valid and immutable. */
public record Settings(
    @Key(
            about = "version of this file's format",
            required = true,
            initial = "1",
            min = "1",
            max = "1")
        int version,
    @Key(about = "more files with models and providers, beside this one") List<String> catalogs,
    @Key(about = "addresses and what clients may send", restart = true) ListenerSettings listeners,
    @Key(about = "threads, memory and shutdown", restart = true) ServerSettings server,
    @Key(about = "the database", restart = true) StoreSettings store,
    @Key(about = "how charges are kept", restart = true) LedgerSettings ledger,
    @Key(about = "shared limits", restart = true) RedisSettings redis,
    @Key(about = "where images and artifacts are kept; null: nowhere", restart = true)
        @Nullable ObjectStorageSettings objectStorage,
    @Key(about = "places that serve models, by name") Map<ProviderId, ProviderSettings> providers,
    @Key(about = "models that clients can name, by <vendor>/<name>")
        Map<ModelId, ModelSettings> models,
    @Key(about = "how a provider is chosen") RoutingSettings routing,
    @Key(about = "rates and counts; 0 is off") LimitSettings limits,
    @Key(about = "video and music jobs", restart = true) MediaSettings media,
    @Key(about = "announcements of finished jobs") WebhookSettings webhooks,
    @Key(about = "guards") SecuritySettings security,
    @Key(about = "the Responses API", restart = true) ResponsesSettings responses,
    @Key(about = "accounts of people", restart = true, later = "the control plane")
        ControlPlaneSettings controlPlane,
    @Key(about = "logs, traces, metrics", restart = true) TelemetrySettings telemetry,
    @Key(
            about = "made when the store holds no organization; null: nothing is made",
            initial = "{}",
            restart = true)
        @Nullable BootstrapSettings bootstrap) {

  /** The description that reader, schema, rendering and reload share. */
  public static final SettingType.Section TYPE = SettingTypes.section(Settings.class);

  /** The JSON Schema of the configuration file. */
  public static String schema() {
    return SchemaWriter.write(TYPE, "Configuration of Tollgate");
  }

  /** The effective configuration as JSON, without a secret. */
  public String masked() {
    return MaskedJson.write(TYPE, this);
  }
}
