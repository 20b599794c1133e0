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

/**
 * Root record of the configuration file, with one component for each section; valid and immutable.
 */
public record Settings(
    @Key(
            about = "version of this file's format",
            required = true,
            initial = "1",
            min = "1",
            max = "1")
        int version,
    @Key(about = "more files with models and providers, beside this one") List<String> catalogs,
    @Key(about = "addresses, and limits of client requests", restart = true)
        ListenerSettings listeners,
    @Key(about = "threads, memory and shutdown", restart = true) ServerSettings server,
    @Key(about = "the database", restart = true) StoreSettings store,
    @Key(about = "journal and settlement of charges", restart = true) LedgerSettings ledger,
    @Key(about = "shared limits", restart = true) RedisSettings redis,
    @Key(about = "storage of images and artifacts; null: none", restart = true)
        @Nullable ObjectStorageSettings objectStorage,
    @Key(about = "providers, by name") Map<ProviderId, ProviderSettings> providers,
    @Key(
            about =
                "models that clients can name, by <vendor>/<name>; <vendor>/* with routes: every"
                    + " model of the vendor in the built-in catalog",
            wildcards = ModelSettings.WildcardSettings.class)
        Map<ModelId, ModelSettings> models,
    @Key(about = "models by patterns of names that are no ids; the first that matches counts")
        List<ModelAlias> modelAliases,
    @Key(about = "proxy and authorities of outgoing calls") EgressSettings egress,
    @Key(about = "selection of providers") RoutingSettings routing,
    @Key(about = "rate limits and other limits; 0: off") LimitSettings limits,
    @Key(about = "video and music jobs", restart = true) MediaSettings media,
    @Key(about = "notices of finished jobs") WebhookSettings webhooks,
    @Key(about = "security") SecuritySettings security,
    @Key(about = "the Responses API", restart = true) ResponsesSettings responses,
    @Key(about = "user accounts, and bounds of the control plane", restart = true)
        ControlPlaneSettings controlPlane,
    @Key(about = "logs, traces, metrics", restart = true) TelemetrySettings telemetry,
    @Key(
            about = "created in a store without an organization; null: nothing is created",
            initial = "{}",
            restart = true)
        @Nullable BootstrapSettings bootstrap) {

  /** Entry of {@code model_aliases}: a pattern of names, and the model that they stand for. */
  public record ModelAlias(
      @Key(about = "pattern in which * stands for any characters", required = true) String match,
      @Key(about = "one of models", required = true) ModelId model) {}

  /** Description for binder, schema, masked JSON and reload. */
  public static final SettingType.Section TYPE = SettingTypes.section(Settings.class);

  /** Returns the JSON Schema of the configuration file. */
  public static String schema() {
    return SchemaWriter.write(TYPE, "Configuration of Tollgate");
  }

  /** Returns the effective configuration as JSON, without secrets. */
  public String masked() {
    return MaskedJson.write(TYPE, this);
  }
}
