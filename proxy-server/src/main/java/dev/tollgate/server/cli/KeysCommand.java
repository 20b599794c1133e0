package dev.tollgate.server.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.tenant.ApiKey;
import dev.tollgate.core.tenant.ApiKeyText;
import dev.tollgate.core.tenant.KeyState;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.postgres.tenants.ApiKeys.ApiKeySpec;
import dev.tollgate.server.postgres.tenants.ApiKeys.KeyCreation;
import dev.tollgate.server.postgres.tenants.ApiKeys.KeyUpdate;
import dev.tollgate.server.postgres.tenants.StoredKey;
import dev.tollgate.server.settings.Settings;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Command group {@code tollgate keys}: creates, lists, changes and revokes API keys. A secret is
 * printed once, when its key is created.
 */
@Command(
    name = "keys",
    description = "Create, list, change and revoke API keys.",
    mixinStandardHelpOptions = true,
    subcommands = {
      KeysCommand.CreateKeyCommand.class,
      KeysCommand.ListKeysCommand.class,
      KeysCommand.ShowKeyCommand.class,
      KeysCommand.SetKeyCommand.class,
      KeysCommand.DisableKeyCommand.class,
      KeysCommand.EnableKeyCommand.class,
      KeysCommand.RotateKeyCommand.class,
      KeysCommand.RevokeKeyCommand.class,
    })
final class KeysCommand extends CommandGroup {
  private static final String NAME = "The key's name.";
  private static final String ORG = "Name or id of the organization.";

  /** Base class of commands that read or change one key. */
  abstract static class SingleKeyCommand extends TenantCommand {
    @Parameters(paramLabel = "KEY", description = "The key's id: the 8 characters after sk-llm-.")
    private String key = "";

    final KeyId key() {
      return new KeyId(key);
    }

    /** Reads or changes the key. */
    abstract KeyUpdate apply(Store store) throws SQLException;

    @Override
    final void run(Settings settings, Store store) throws SQLException, CommandFailedException {
      switch (apply(store)) {
        case KeyUpdate.Done done -> rows().print(row(done.key()));
        case KeyUpdate.Replaced made -> rows().print(row(made.key(), made.secret()));
        case KeyUpdate.UnknownKey _ -> throw new CommandFailedException("there is no key " + key);
        case KeyUpdate.Revoked _ ->
            throw new CommandFailedException("the key " + key + " is revoked, which is final");
      }
    }
  }

  @Command(
      name = "create",
      description = "Create a key and print it, once.",
      mixinStandardHelpOptions = true)
  static final class CreateKeyCommand extends TenantCommand {
    @Option(names = "--org", required = true, paramLabel = "ORG", description = ORG)
    private String org = "";

    @Option(names = "--name", required = true, paramLabel = "NAME", description = NAME)
    private String name = "";

    @Mixin private KeyOptions options = new KeyOptions();

    @Override
    void run(Settings settings, Store store) throws SQLException, CommandFailedException {
      KeyOptions.requireName(name);
      ApiKeySpec spec = options.applyTo(ApiKeySpec.named(name), Instant.now());
      int keysMax = settings.limits().org().maxApiKeys();
      switch (store.apiKeys().create(orgId(store, org), spec, keysMax)) {
        case KeyCreation.Created made -> rows().print(row(made.key(), made.secret()));
        case KeyCreation.UnknownOrg _ ->
            throw new CommandFailedException("there is no organization " + org);
        case KeyCreation.TooMany many ->
            throw new CommandFailedException(
                "max_api_keys_reached: %s has %d keys, as many as limits.org.max_api_keys allows"
                    .formatted(org, many.max()));
      }
    }
  }

  @Command(name = "list", description = "List keys.", mixinStandardHelpOptions = true)
  static final class ListKeysCommand extends TenantCommand {
    @Option(names = "--org", paramLabel = "ORG", description = ORG + " Without it: all.")
    private @Nullable String org;

    @Override
    void run(Settings settings, Store store) throws SQLException, CommandFailedException {
      List<ObjectNode> rows = new ArrayList<>();
      for (var id : org == null ? store.organizations().ids() : List.of(orgId(store, org))) {
        store.apiKeys().list(id).forEach(key -> rows.add(row(key)));
      }
      rows().print(rows, "id", "org", "name", "state", "last_four", "expires_at", "created_at");
    }
  }

  @Command(name = "show", description = "Show a key.", mixinStandardHelpOptions = true)
  static final class ShowKeyCommand extends SingleKeyCommand {
    @Override
    KeyUpdate apply(Store store) throws SQLException {
      var found = store.apiKeys().find(key());
      return found.<KeyUpdate>map(KeyUpdate.Done::new).orElseGet(KeyUpdate.UnknownKey::new);
    }
  }

  @Command(
      name = "set",
      description = "Change a key; gateways act within 5 seconds.",
      mixinStandardHelpOptions = true)
  static final class SetKeyCommand extends SingleKeyCommand {
    @Option(names = "--name", paramLabel = "NAME", description = NAME)
    private @Nullable String name;

    @Mixin private KeyOptions options = new KeyOptions();

    @Override
    KeyUpdate apply(Store store) throws SQLException {
      if (name == null && options.areNone()) {
        throw usage("nothing to set: give an option of keys create");
      }
      return store.apiKeys().set(key(), this::changed);
    }

    private ApiKeySpec changed(ApiKeySpec current) {
      ApiKeySpec changed = options.applyTo(current, Instant.now());
      if (name == null) {
        return changed;
      }
      KeyOptions.requireName(name);
      return new ApiKeySpec(name, changed.scope(), changed.limits(), changed.expiresAt());
    }
  }

  @Command(
      name = "disable",
      description = "Refuse a key until it is enabled; gateways act within 5 seconds.",
      mixinStandardHelpOptions = true)
  static final class DisableKeyCommand extends SingleKeyCommand {
    @Override
    KeyUpdate apply(Store store) throws SQLException {
      return store.apiKeys().disable(key());
    }
  }

  @Command(
      name = "enable",
      description = "Accept a disabled key again.",
      mixinStandardHelpOptions = true)
  static final class EnableKeyCommand extends SingleKeyCommand {
    @Override
    KeyUpdate apply(Store store) throws SQLException {
      return store.apiKeys().enable(key());
    }
  }

  @Command(
      name = "rotate",
      description = "Revoke a key, create one like it and print that, once.",
      mixinStandardHelpOptions = true)
  static final class RotateKeyCommand extends SingleKeyCommand {
    @Override
    KeyUpdate apply(Store store) throws SQLException {
      return store.apiKeys().rotate(key());
    }
  }

  @Command(
      name = "revoke",
      description = "Revoke a key, finally; gateways act within 5 seconds.",
      mixinStandardHelpOptions = true)
  static final class RevokeKeyCommand extends SingleKeyCommand {
    @Override
    KeyUpdate apply(Store store) throws SQLException {
      return store.apiKeys().revoke(key());
    }
  }

  /** Returns a new key with its secret as the first field. */
  private static ObjectNode row(StoredKey stored, ApiKeyText.ValidKey secret) {
    ObjectNode row = RowPrinter.row().put("key", secret.text());
    row.setAll(row(stored));
    return row;
  }

  private static ObjectNode row(StoredKey stored) {
    ApiKey key = stored.key();
    ObjectNode row =
        RowPrinter.row()
            .put("id", key.id().value())
            .put("org", key.org().name())
            .put("name", key.name())
            .put("state", state(key, Instant.now()))
            .put("last_four", key.lastFour())
            .put("expires_at", text(key.expiresAt()));
    addTexts(row.putArray("allowed_models"), key.scope().allowedModels());
    addTexts(row.putArray("allowed_modalities"), key.scope().allowedModalities());
    addTexts(row.putArray("allowed_ips"), key.scope().allowedIps());
    KeyId replacedBy = stored.replacedBy();
    return row.put("requests_per_second", key.limits().requestsPerSecond())
        .put("requests_per_minute", key.limits().requestsPerMinute())
        .put("tokens_per_minute", key.limits().tokensPerMinute())
        .put("concurrency", key.limits().concurrency())
        .put("daily_budget_micro", micro(key.limits().dailyBudget()))
        .put("monthly_budget_micro", micro(key.limits().monthlyBudget()))
        .put("created_at", stored.createdAt().toString())
        .put("revoked_at", text(stored.revokedAt()))
        .put("replaced_by", replacedBy == null ? null : replacedBy.value());
  }

  /**
   * Returns the state to show: expiry is not stored, and is shown for a key that is active
   * otherwise.
   */
  private static String state(ApiKey key, Instant now) {
    Instant expiresAt = key.expiresAt();
    boolean expired =
        key.state() == KeyState.ACTIVE && expiresAt != null && !now.isBefore(expiresAt);
    return expired ? "expired" : key.state().name().toLowerCase(Locale.ROOT);
  }

  private static void addTexts(ArrayNode array, Set<String> texts) {
    texts.stream().sorted().forEach(array::add);
  }

  private static @Nullable String text(@Nullable Instant instant) {
    return instant == null ? null : instant.toString();
  }

  private static @Nullable Long micro(@Nullable MicroUsd amount) {
    return amount == null ? null : amount.value();
  }
}
