package dev.tollgate.server.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.tenant.KeyState;
import dev.tollgate.server.account.Caller;
import dev.tollgate.server.account.IdempotencyClaim;
import dev.tollgate.server.account.OrgAccess;
import dev.tollgate.server.account.Page;
import dev.tollgate.server.account.Refused;
import dev.tollgate.server.account.tenant.KeyQuery;
import dev.tollgate.server.account.tenant.KeyQuery.KeyList;
import dev.tollgate.server.account.tenant.KeyQuery.KeySort;
import dev.tollgate.server.account.tenant.KeyService;
import dev.tollgate.server.account.tenant.KeyService.NewKey;
import dev.tollgate.server.account.tenant.KeyService.RotatedKey;
import dev.tollgate.server.account.tenant.KeyView;
import dev.tollgate.server.account.tenant.NewKeyFields;
import dev.tollgate.server.cli.output.RowPrinter;
import dev.tollgate.server.postgres.Store;
import dev.tollgate.server.postgres.tenants.StoredKey;
import dev.tollgate.server.settings.Settings;
import dev.tollgate.server.settings.SettingsPart;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
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

    /** Reads or changes the key; returns its row. */
    abstract ObjectNode apply(KeyService keys, OrgAccess access, KeyId id) throws SQLException;

    /** True if the command works on a key that is revoked. */
    boolean readsOnly() {
      return false;
    }

    @Override
    final void run(Settings settings, Store store) throws SQLException, CommandFailedException {
      var id = new KeyId(key);
      StoredKey stored = stored(store, id);
      if (!readsOnly() && stored.key().state() == KeyState.REVOKED) {
        throw new CommandFailedException("the key " + key + " is revoked, which is final");
      }
      OrgAccess access = OrgAccess.of(store.pool(), Caller.cli(), stored.key().org().id());
      rows().print(apply(keys(settings, store), access, id));
    }
  }

  @Command(
      name = "create",
      description = "Create a key and print it, once.",
      mixinStandardHelpOptions = true)
  static final class CreateKeyCommand extends TenantCommand {
    @Option(
        names = "--org",
        paramLabel = "ORG",
        description = ORG + " Without it: that of the key of --like.")
    private @Nullable String org;

    @Option(names = "--name", paramLabel = "NAME", description = NAME)
    private @Nullable String name;

    @Option(
        names = "--like",
        paramLabel = "KEY",
        description =
            "Id of a key of the organization whose settings it gets, unless others are given; its"
                + " budgets start anew.")
    private @Nullable String like;

    @Mixin private KeyOptions options = new KeyOptions();

    @Override
    SettingsPart part() {
      return options.part();
    }

    @Override
    void requireOptions() {
      if (like == null && (org == null || name == null)) {
        throw usage("--org and --name are required, or --like");
      }
      if (name != null) {
        KeyOptions.requireName(name);
      }
    }

    @Override
    void run(Settings settings, Store store) throws SQLException, CommandFailedException {
      KeyId model = like == null ? null : new KeyId(like);
      var wish = new NewKeyFields(options.patch(name, Instant.now()), model);
      OrgAccess access = access(store, model);
      try {
        NewKey made = keys(settings, store).create(access, wish, IdempotencyClaim.NONE);
        rows().print(row(access, made.key(), made.secret()));
      } catch (Refused e) {
        if (e.fault().code() != ErrorCode.MAX_API_KEYS_REACHED) {
          throw e;
        }
        throw new CommandFailedException(
            "max_api_keys_reached: %s has %s keys, as many as limits.org.max_api_keys allows"
                .formatted(access.orgName(), e.fault().details().get("max")));
      }
    }

    private OrgAccess access(Store store, @Nullable KeyId model)
        throws SQLException, CommandFailedException {
      return org == null && model != null
          ? OrgAccess.of(store.pool(), Caller.cli(), stored(store, model).key().org().id())
          : access(store, String.valueOf(org));
    }
  }

  private static StoredKey stored(Store store, KeyId id)
      throws SQLException, StoreBackedCommand.CommandFailedException {
    return store
        .apiKeys()
        .find(id)
        .orElseThrow(() -> new StoreBackedCommand.CommandFailedException("there is no key " + id));
  }

  @Command(name = "list", description = "List keys.", mixinStandardHelpOptions = true)
  static final class ListKeysCommand extends TenantCommand {
    @Option(names = "--org", paramLabel = "ORG", description = ORG + " Without it: all.")
    private @Nullable String org;

    @Override
    void run(Settings settings, Store store) throws SQLException, CommandFailedException {
      List<ObjectNode> rows = new ArrayList<>();
      for (var id : org == null ? store.organizations().ids() : List.of(orgId(store, org))) {
        OrgAccess access = OrgAccess.of(store.pool(), Caller.cli(), id);
        all(keys(settings, store), access).forEach(key -> rows.add(row(access, key)));
      }
      rows().print(rows, "id", "org", "name", "state", "last_four", "expires_at", "created_at");
    }

    /** Returns the keys of an organization, oldest first. */
    private static List<KeyView> all(KeyService keys, OrgAccess access) throws SQLException {
      var query = new KeyQuery(KeyQuery.ALL_STATES, null, null, KeySort.CREATED);
      List<KeyView> all = new ArrayList<>();
      String position = null;
      do {
        KeyList part = keys.list(access, query, new Page(Page.LIMIT_MAX, position));
        all.addAll(part.data());
        position = part.next();
      } while (position != null);
      return all.reversed();
    }
  }

  @Command(name = "show", description = "Show a key.", mixinStandardHelpOptions = true)
  static final class ShowKeyCommand extends SingleKeyCommand {
    @Override
    ObjectNode apply(KeyService keys, OrgAccess access, KeyId id) throws SQLException {
      return row(access, keys.get(access, id));
    }

    @Override
    boolean readsOnly() {
      return true;
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
    SettingsPart part() {
      return options.part();
    }

    @Override
    ObjectNode apply(KeyService keys, OrgAccess access, KeyId id) throws SQLException {
      if (name == null && options.areNone()) {
        throw usage("nothing to set: give an option of keys create");
      }
      if (name != null) {
        KeyOptions.requireName(name);
      }
      return row(access, keys.change(access, id, options.patch(name, Instant.now()), null));
    }
  }

  @Command(
      name = "disable",
      description = "Refuse a key until it is enabled; gateways act within 5 seconds.",
      mixinStandardHelpOptions = true)
  static final class DisableKeyCommand extends SingleKeyCommand {
    @Override
    ObjectNode apply(KeyService keys, OrgAccess access, KeyId id) throws SQLException {
      return row(access, keys.disable(access, id));
    }
  }

  @Command(
      name = "enable",
      description = "Accept a disabled key again.",
      mixinStandardHelpOptions = true)
  static final class EnableKeyCommand extends SingleKeyCommand {
    @Override
    ObjectNode apply(KeyService keys, OrgAccess access, KeyId id) throws SQLException {
      return row(access, keys.enable(access, id));
    }
  }

  @Command(
      name = "rotate",
      description = "Revoke a key, create one like it and print that, once.",
      mixinStandardHelpOptions = true)
  static final class RotateKeyCommand extends SingleKeyCommand {
    @Override
    ObjectNode apply(KeyService keys, OrgAccess access, KeyId id) throws SQLException {
      RotatedKey made = keys.rotate(access, id);
      return row(access, made.key(), made.secret());
    }
  }

  @Command(
      name = "revoke",
      description = "Revoke a key, finally; gateways act within 5 seconds.",
      mixinStandardHelpOptions = true)
  static final class RevokeKeyCommand extends SingleKeyCommand {
    @Override
    ObjectNode apply(KeyService keys, OrgAccess access, KeyId id) throws SQLException {
      return row(access, keys.revoke(access, id, null));
    }
  }

  /** Returns a new key with its secret as the first field. */
  private static ObjectNode row(OrgAccess access, KeyView key, String secret) {
    ObjectNode row = RowPrinter.row().put("key", secret);
    row.setAll(row(access, key));
    return row;
  }

  private static ObjectNode row(OrgAccess access, KeyView key) {
    ObjectNode row =
        RowPrinter.row()
            .put("id", key.id())
            .put("org", access.orgName())
            .put("name", key.name())
            .put("state", key.state())
            .put("last_four", key.lastFour())
            .put("expires_at", text(key.expiresAt()));
    key.allowedModels().forEach(row.putArray("allowed_models")::add);
    key.allowedModalities().forEach(row.putArray("allowed_modalities")::add);
    key.allowedIps().forEach(row.putArray("allowed_ips")::add);
    return row.put("requests_per_second", key.limits().requestsPerSecond())
        .put("requests_per_minute", key.limits().requestsPerMinute())
        .put("tokens_per_minute", key.limits().tokensPerMinute())
        .put("concurrency", key.limits().concurrency())
        .put("daily_budget_micro", key.dailyBudgetMicro())
        .put("monthly_budget_micro", key.monthlyBudgetMicro())
        .put("created_at", key.createdAt().toString())
        .put("revoked_at", text(key.revokedAt()))
        .put("replaced_by", key.replacedBy());
  }

  private static @Nullable String text(@Nullable Instant instant) {
    return instant == null ? null : instant.toString();
  }
}
