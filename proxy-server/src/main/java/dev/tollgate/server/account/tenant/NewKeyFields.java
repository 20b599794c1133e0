package dev.tollgate.server.account.tenant;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.server.account.Patch;
import dev.tollgate.server.account.tenant.KeyPatch.LimitsPatch;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Fields of a new API key; see {@link KeyPatch}.
 *
 * @param copyOf the key whose fields it has unless they are given; null: none
 */
public record NewKeyFields(
    Patch<String> name,
    Patch<@Nullable String> note,
    Patch<@Nullable List<String>> allowedModels,
    Patch<@Nullable List<String>> allowedModalities,
    Patch<@Nullable List<String>> allowedIps,
    @Nullable LimitsPatch limits,
    Patch<@Nullable Long> dailyBudgetMicro,
    Patch<@Nullable Long> monthlyBudgetMicro,
    Patch<@Nullable Instant> expiresAt,
    @Nullable Boolean force,
    @Nullable KeyId copyOf) {

  /** Returns a new key with these fields. */
  public static NewKeyFields of(KeyPatch fields, @Nullable KeyId copyOf) {
    return new NewKeyFields(
        fields.name(),
        fields.note(),
        fields.allowedModels(),
        fields.allowedModalities(),
        fields.allowedIps(),
        fields.limits(),
        fields.dailyBudgetMicro(),
        fields.monthlyBudgetMicro(),
        fields.expiresAt(),
        fields.force(),
        copyOf);
  }

  /** Returns the fields as a change of a key without any. */
  KeyPatch fields() {
    return new KeyPatch(
        name,
        note,
        allowedModels,
        allowedModalities,
        allowedIps,
        limits,
        dailyBudgetMicro,
        monthlyBudgetMicro,
        expiresAt,
        force);
  }
}
