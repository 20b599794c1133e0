package dev.tollgate.server.account.tenant;

import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.tenant.KeyState;
import dev.tollgate.server.account.AuditEntry.Change;
import dev.tollgate.server.postgres.tenants.StoredKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Fields of an API key as the audit log states their changes. */
final class KeyFields {
  private static final List<Field> FIELDS =
      List.of(
          new Field("name", key -> key.key().name()),
          new Field("note", StoredKey::note),
          new Field("allowed_models", key -> sorted(key.key().scope().allowedModels())),
          new Field("allowed_modalities", key -> sorted(key.key().scope().allowedModalities())),
          new Field("allowed_ips", key -> sorted(key.key().scope().allowedIps())),
          new Field("requests_per_second", key -> key.key().limits().requestsPerSecond()),
          new Field("requests_per_minute", key -> key.key().limits().requestsPerMinute()),
          new Field("tokens_per_minute", key -> key.key().limits().tokensPerMinute()),
          new Field("concurrency", key -> key.key().limits().concurrency()),
          new Field("daily_budget_micro", key -> micro(key.key().limits().dailyBudget())),
          new Field("monthly_budget_micro", key -> micro(key.key().limits().monthlyBudget())),
          new Field("expires_at", key -> text(key.key().expiresAt())));

  private KeyFields() {}

  private record Field(String name, Function<StoredKey, @Nullable Object> value) {}

  /**
   * Returns the differences.
   *
   * @param before null for a new key: then what it has
   */
  static Change[] changes(@Nullable StoredKey before, StoredKey after) {
    List<Change> changes = new ArrayList<>();
    for (Field field : FIELDS) {
      Object from = before == null ? null : field.value.apply(before);
      Object to = field.value.apply(after);
      boolean isUnset = before == null && to instanceof List<?> list && list.isEmpty();
      if (!isUnset) {
        changes.add(new Change(field.name, from, to));
      }
    }
    return changes.toArray(Change[]::new);
  }

  static String wire(KeyState state) {
    return state.name().toLowerCase(Locale.ROOT);
  }

  private static List<String> sorted(Set<String> texts) {
    return texts.stream().sorted().toList();
  }

  private static @Nullable Long micro(@Nullable MicroUsd amount) {
    return amount == null ? null : amount.value();
  }

  private static @Nullable String text(@Nullable Object value) {
    return value == null ? null : value.toString();
  }
}
