package dev.tollgate.core.api;

import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.Param;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Names of the known fields of a JSON request, with the validation rules of their values.
 * Duplicates and case variants of known fields are refused: providers disagree on which one counts,
 * so price and scope could be bypassed. All other fields pass through unread, and their text counts
 * as prompt.
 */
public final class FieldRules {
  /** Fields of OpenAI's that pass through unread, and that no provider takes for prompt. */
  private static final Set<String> SETTINGS =
      Set.of(
          "metadata",
          "modalities",
          "prompt_cache_key",
          "prompt_cache_retention",
          "reasoning_effort",
          "safety_identifier",
          "service_tier",
          "verbosity");

  private final Map<String, ValueRule> rules;
  private final MemberNames names;
  private final Param[] params; // in the order of the names
  private final ValueRule[] valueRules;

  public FieldRules(Map<String, ValueRule> rules) {
    this.rules = Map.copyOf(rules);
    List<String> sorted = this.rules.keySet().stream().sorted().toList();
    this.names = new MemberNames(sorted);
    this.params = sorted.stream().map(Param::of).toArray(Param[]::new);
    this.valueRules = sorted.stream().map(rules::get).toArray(ValueRule[]::new);
  }

  /** Adds the rules of the fields that all inference routes have. */
  public static void putCommon(Map<String, ValueRule> rules) {
    rules.put("model", ValueRule.ANY);
    rules.put("routing", ValueRule.ANY);
    rules.put("provider", ValueRule.ANY);
    rules.put("user", ValueRule.string().orNull());
  }

  /** Adds the rules of the fields that all text-generating routes have. */
  public static void putGeneration(Map<String, ValueRule> rules) {
    rules.put("stream", ValueRule.bool().orNull());
    rules.put("stream_options", rule(FieldRules::streamOptions).orNull());
    rules.put("temperature", ValueRule.number(0, 2).orNull());
    rules.put("top_p", ValueRule.number(0, 1).orNull());
    rules.put("presence_penalty", ValueRule.number(-2, 2).orNull());
    rules.put("frequency_penalty", ValueRule.number(-2, 2).orNull());
    rules.put("seed", ValueRule.integer(Long.MIN_VALUE + 1, Long.MAX_VALUE).orNull());
    rules.put("logit_bias", rule(FieldRules::logitBias).orNull());
    rules.put("stop", rule(FieldRules::stop).orNull());
  }

  public static ValueRule rule(ValueRule rule) {
    return rule;
  }

  /** True if a field of this name is read. */
  public boolean knows(String name) {
    return rules.containsKey(name);
  }

  /** Returns the names of the fields. */
  public MemberNames names() {
    return names;
  }

  /**
   * Reports every value that violates its rule, and returns the bytes of the text that passes
   * through unread.
   */
  long checkValues(JsonMembers root, Issues issues) {
    long unreadBytes = 0;
    for (int i = 0; i < root.size(); i++) {
      int known = names.indexOf(root, i);
      if (known != MemberNames.NONE) {
        valueRules[known].check(root, i, params[known], issues);
      } else if (mayBePrompt(root, i, root.name(i))) {
        unreadBytes += root.valueEnd(i) - root.valueStart(i);
      }
    }
    return unreadBytes;
  }

  private static boolean mayBePrompt(JsonMembers root, int i, String name) {
    return switch (root.kind(i)) {
      case STRING, ARRAY, OBJECT -> !SETTINGS.contains(name);
      case NUMBER, TRUE, FALSE, NULL -> false;
    };
  }

  private static void streamOptions(JsonItems items, int i, Param param, Issues issues) {
    if (items.kind(i) == JsonKind.OBJECT) {
      issues.addIfCut(items.object(i), param);
    } else {
      issues.add(param, "must be an object");
    }
  }

  private static void logitBias(JsonItems items, int i, Param param, Issues issues) {
    if (items.kind(i) != JsonKind.OBJECT) {
      issues.add(param, "must be an object");
      return;
    }
    JsonMembers biases = items.object(i);
    if (issues.addIfCut(biases, param)) {
      return;
    }
    ValueRule bias = ValueRule.number(-100, 100);
    for (int k = 0; k < biases.size() && !issues.isFull(); k++) {
      bias.check(biases, k, param.dot(biases.name(k)), issues);
    }
  }

  private static void stop(JsonItems items, int i, Param param, Issues issues) {
    switch (items.kind(i)) {
      case STRING -> {}
      case ARRAY -> ValueRule.strings().check(items, i, param, issues);
      case NUMBER, TRUE, FALSE, NULL, OBJECT ->
          issues.add(param, "must be a string or an array of strings");
    }
  }
}
