package dev.tollgate.server.account.tenant;

import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.fault.Fault.Issue;
import dev.tollgate.core.id.ModelGlob;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.limit.Bucket;
import dev.tollgate.core.net.CidrSet;
import dev.tollgate.server.account.Patch;
import dev.tollgate.server.account.Refused;
import dev.tollgate.server.account.tenant.KeyPatch.LimitsPatch;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Validation of the values of a change of an API key, which needs no look at the store. */
final class KeyRules {
  static final int NAME_CHARS_MAX = 100;
  private static final int NOTE_CHARS_MAX = 500;
  private static final int SCOPE_ENTRIES_MAX = 200;

  /** The largest integer that every JSON reader has. */
  static final long MICRO_MAX = (1L << 53) - 1;

  private KeyRules() {}

  /**
   * Refuses values that no key can have.
   *
   * @throws Refused 400 with all of them
   */
  static void require(KeyPatch patch, Supplier<Set<ModelId>> models) {
    List<Issue> issues = new ArrayList<>();
    check(patch, models, issues);
    if (!issues.isEmpty()) {
      throw Refused.invalid(issues);
    }
  }

  /**
   * Refuses a reason that the audit log cannot hold.
   *
   * @throws Refused 400 if it is too long
   */
  static void requireReason(@Nullable String reason) {
    if (reason != null && reason.length() > NOTE_CHARS_MAX) {
      throw Refused.invalid("reason", "must have at most " + NOTE_CHARS_MAX + " characters");
    }
  }

  private static void check(KeyPatch patch, Supplier<Set<ModelId>> known, List<Issue> issues) {
    if (patch.name().isSet()) {
      name(patch.name().applyTo(""), issues);
    }
    String note = patch.note().applyToNullable(null);
    if (note != null && note.length() > NOTE_CHARS_MAX) {
      issues.add(new Issue("note", "must have at most " + NOTE_CHARS_MAX + " characters"));
    }
    List<String> models = entries("allowed_models", patch.allowedModels(), issues);
    for (int i = 0; i < models.size(); i++) {
      model("allowed_models[" + i + "]", models.get(i), patch.isForced() ? null : known, issues);
    }
    List<String> modalities = entries("allowed_modalities", patch.allowedModalities(), issues);
    for (int i = 0; i < modalities.size(); i++) {
      if (Modality.parse(modalities.get(i)).isEmpty()) {
        issues.add(new Issue("allowed_modalities[" + i + "]", "is not a modality"));
      }
    }
    List<String> ips = entries("allowed_ips", patch.allowedIps(), issues);
    for (int i = 0; i < ips.size(); i++) {
      address("allowed_ips[" + i + "]", ips.get(i), issues);
    }
    LimitsPatch limits = patch.limitsOrKeep();
    limit("limits.requests_per_second", limits.requestsPerSecond(), Integer.MAX_VALUE, issues);
    limit("limits.requests_per_minute", limits.requestsPerMinute(), Integer.MAX_VALUE, issues);
    limit("limits.tokens_per_minute", limits.tokensPerMinute(), Bucket.CAPACITY_MAX, issues);
    limit("limits.concurrency", limits.concurrency(), Integer.MAX_VALUE, issues);
    limit("daily_budget_micro", patch.dailyBudgetMicro(), MICRO_MAX, issues);
    limit("monthly_budget_micro", patch.monthlyBudgetMicro(), MICRO_MAX, issues);
  }

  private static void name(String name, List<Issue> issues) {
    if (name.isBlank() || name.length() > NAME_CHARS_MAX) {
      issues.add(new Issue("name", "must have 1 to " + NAME_CHARS_MAX + " characters"));
    }
  }

  private static List<String> entries(
      String param, Patch<@Nullable List<String>> patch, List<Issue> issues) {
    List<String> values = patch.applyToNullable(null);
    if (values == null) {
      return List.of();
    }
    if (values.size() > SCOPE_ENTRIES_MAX) {
      issues.add(new Issue(param, "must have at most " + SCOPE_ENTRIES_MAX + " entries"));
      return List.of();
    }
    return values;
  }

  /**
   * Checks an entry of a scope: an id, or a pattern of ids.
   *
   * @param known null: it need not match a model
   */
  private static void model(
      String param, String text, @Nullable Supplier<Set<ModelId>> known, List<Issue> issues) {
    boolean isId = ModelId.parse(text).isPresent();
    if (!isId && !(ModelGlob.isGlob(text) && ModelId.isName(text))) {
      issues.add(
          new Issue(param, "must be of the form vendor/name, or a pattern such as vendor/*"));
    } else if (known != null && !ModelGlob.matchesAny(text, known.get())) {
      issues.add(new Issue(param, "is no model of this gateway; force allows it nevertheless"));
    }
  }

  private static void address(String param, String text, List<Issue> issues) {
    try {
      CidrSet.parse(List.of(text));
    } catch (IllegalArgumentException e) {
      issues.add(new Issue(param, "must be an IP address or a CIDR block"));
    }
  }

  private static <N extends Number> void limit(
      String param, Patch<@Nullable N> patch, long max, List<Issue> issues) {
    Number value = patch.applyToNullable(null);
    if (value != null && (value.longValue() < 0 || value.longValue() > max)) {
      issues.add(new Issue(param, "must be 0 to " + max));
    }
  }
}
