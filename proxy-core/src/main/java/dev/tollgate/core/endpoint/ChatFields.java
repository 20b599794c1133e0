package dev.tollgate.core.endpoint;

import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonLimits;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.Param;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * The fields of a chat request that we read, with their types and bounds (SPEC 4.1). A duplicate or
 * a case variant of any of them is refused: providers disagree on which one counts, so price and
 * scope could be bypassed. All other fields pass through unseen.
 */
final class ChatFields {
  private static final Set<String> SCHEMA_FIELDS = Set.of("tools", "functions", "response_format");
  private static final Map<String, ValueRule> RULES = rules();

  private ChatFields() {}

  private static Map<String, ValueRule> rules() {
    Map<String, ValueRule> rules = new HashMap<>();
    rules.put("model", ValueRule.ANY);
    rules.put("messages", ValueRule.ANY);
    rules.put("functions", ValueRule.ANY);
    rules.put("routing", ValueRule.ANY);
    rules.put("provider", ValueRule.ANY);
    rules.put("stream", ValueRule.bool().orNull());
    rules.put("stream_options", rule(ChatFields::streamOptions).orNull());
    rules.put("n", ValueRule.integer(1, 1));
    rules.put("temperature", ValueRule.number(0, 2).orNull());
    rules.put("top_p", ValueRule.number(0, 1).orNull());
    rules.put("max_tokens", ValueRule.integer(1, Long.MAX_VALUE).orNull());
    rules.put("max_completion_tokens", ValueRule.integer(1, Long.MAX_VALUE).orNull());
    rules.put("presence_penalty", ValueRule.number(-2, 2).orNull());
    rules.put("frequency_penalty", ValueRule.number(-2, 2).orNull());
    rules.put("seed", ValueRule.integer(Long.MIN_VALUE + 1, Long.MAX_VALUE).orNull());
    rules.put("logprobs", ValueRule.bool().orNull());
    rules.put("top_logprobs", ValueRule.integer(0, 20).orNull());
    rules.put("parallel_tool_calls", ValueRule.bool().orNull());
    rules.put("user", ValueRule.string().orNull());
    rules.put("logit_bias", rule(ChatFields::logitBias).orNull());
    rules.put("stop", rule(ChatFields::stop).orNull());
    rules.put("tools", rule(ChatFields::tools).orNull());
    rules.put("tool_choice", rule(ChatFields::toolChoice).orNull());
    rules.put("response_format", rule(ChatFields::responseFormat).orNull());
    return rules;
  }

  private static ValueRule rule(ValueRule rule) {
    return rule;
  }

  /** Whether nesting outside of schemas is within bounds. */
  static boolean isTooDeep(JsonMembers root) {
    for (int i = 0; i < root.size(); i++) {
      if (root.depth(i) > JsonLimits.PLAIN_DEPTH_MAX && !SCHEMA_FIELDS.contains(root.name(i))) {
        return true;
      }
    }
    return false;
  }

  /** Reports duplicates and case variants, each under its name as written. */
  static void checkNames(JsonMembers root, Issues issues) {
    String[] names = new String[root.size()];
    for (int i = 0; i < names.length; i++) {
      names[i] = root.name(i);
      checkName(names, i, issues);
    }
  }

  /** Reports every value that is out of bounds. */
  static void checkValues(JsonMembers root, Issues issues) {
    for (int i = 0; i < root.size(); i++) {
      String name = root.name(i);
      ValueRule rule = RULES.get(name);
      if (rule != null) {
        rule.check(root, i, Param.of(name), issues);
      }
    }
  }

  private static void checkName(String[] names, int i, Issues issues) {
    String name = names[i];
    if (!RULES.containsKey(name)) {
      String folded = folded(name);
      if (RULES.containsKey(folded)) {
        issues.add(name, "is a case variant of " + folded);
      }
      return;
    }
    for (int k = 0; k < i; k++) {
      if (names[k].equals(name)) {
        issues.add(name, "is given twice");
        return;
      }
    }
  }

  // Some decoders match names by Unicode's folding: U+017F as s, U+212A as k.
  private static String folded(String name) {
    return name.toUpperCase(Locale.ROOT).toLowerCase(Locale.ROOT);
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

  private static void tools(JsonItems items, int i, Param param, Issues issues) {
    if (items.kind(i) != JsonKind.ARRAY) {
      issues.add(param, "must be an array");
      return;
    }
    JsonElements tools = items.array(i);
    if (issues.addIfCut(tools, param)) {
      return;
    }
    for (int k = 0; k < tools.size() && !issues.isFull(); k++) {
      if (tools.kind(k) == JsonKind.OBJECT) {
        tool(tools.object(k), param.at(k), issues);
      } else {
        issues.add(param.at(k), "must be an object");
      }
    }
  }

  private static void tool(JsonMembers tool, Param param, Issues issues) {
    if (issues.addIfCut(tool, param)) {
      return;
    }
    int type = tool.indexOf("type");
    if (type >= 0 && tool.isString(type, "function")) {
      named(tool, "function", param, issues);
    } else if (type >= 0 && tool.isString(type, "custom")) {
      named(tool, "custom", param, issues);
    } else {
      issues.add(param.dot("type"), "must be function or custom");
    }
  }

  private static void named(JsonMembers tool, String member, Param param, Issues issues) {
    int i = tool.indexOf(member);
    if (i < 0 || tool.kind(i) != JsonKind.OBJECT) {
      issues.add(param.dot(member), "must be an object");
      return;
    }
    JsonMembers definition = tool.object(i);
    if (issues.addIfCut(definition, param.dot(member))) {
      return;
    }
    int name = definition.indexOf("name");
    if (name < 0 || definition.kind(name) != JsonKind.STRING || definition.isEmptyString(name)) {
      issues.add(param.dot(member).dot("name"), "must be a non-empty string");
    }
  }

  private static void toolChoice(JsonItems items, int i, Param param, Issues issues) {
    JsonKind kind = items.kind(i);
    if (kind != JsonKind.STRING && kind != JsonKind.OBJECT) {
      issues.add(param, "must be a string or an object");
    }
  }

  private static void responseFormat(JsonItems items, int i, Param param, Issues issues) {
    if (items.kind(i) != JsonKind.OBJECT) {
      issues.add(param, "must be an object");
      return;
    }
    JsonMembers format = items.object(i);
    if (issues.addIfCut(format, param)) {
      return;
    }
    int type = format.indexOf("type");
    if (type < 0
        || !(format.isString(type, "text")
            || format.isString(type, "json_object")
            || format.isString(type, "json_schema"))) {
      issues.add(param.dot("type"), "must be text, json_object or json_schema");
    }
  }
}
