package dev.tollgate.core.api.chat;

import dev.tollgate.core.api.FieldRules;
import dev.tollgate.core.api.Issues;
import dev.tollgate.core.api.ValueRule;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.Param;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Validation rules of the known fields of a chat request (docs/decisions/requests.md#chat-fields).
 */
final class ChatFields {
  /** Members that contain JSON Schema. */
  static final Set<String> SCHEMA_FIELDS = Set.of("tools", "functions", "response_format");

  /** Members whose lists are read item by item. */
  static final Set<String> BOUNDED =
      Set.of("messages", "tools", "response_format", "logit_bias", "stop", "stream_options");

  static final FieldRules RULES = new FieldRules(rules());

  private ChatFields() {}

  private static Map<String, ValueRule> rules() {
    Map<String, ValueRule> rules = new HashMap<>();
    FieldRules.putCommon(rules);
    FieldRules.putGeneration(rules);
    rules.put("messages", ValueRule.ANY);
    rules.put("functions", ValueRule.ANY);
    rules.put("n", ValueRule.integer(1, 1).orNull());
    rules.put("max_tokens", ValueRule.integer(1, Long.MAX_VALUE).orNull());
    rules.put("max_completion_tokens", ValueRule.integer(1, Long.MAX_VALUE).orNull());
    rules.put("logprobs", ValueRule.bool().orNull());
    rules.put("top_logprobs", ValueRule.integer(0, 20).orNull());
    rules.put("parallel_tool_calls", ValueRule.bool().orNull());
    rules.put("tools", FieldRules.rule(ChatFields::tools).orNull());
    rules.put("tool_choice", FieldRules.rule(ChatFields::toolChoice).orNull());
    rules.put("response_format", FieldRules.rule(ChatFields::responseFormat).orNull());
    return rules;
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
    Set<String> names = new HashSet<>();
    for (int k = 0; k < tools.size() && !issues.isFull(); k++) {
      if (tools.kind(k) == JsonKind.OBJECT) {
        tool(tools.object(k), names, param.at(k), issues);
      } else {
        issues.add(param.at(k), "must be an object");
      }
    }
  }

  private static void tool(JsonMembers tool, Set<String> names, Param param, Issues issues) {
    if (issues.addIfCut(tool, param)) {
      return;
    }
    int type = tool.indexOf("type");
    if (type >= 0 && tool.isString(type, "function")) {
      named(tool, "function", names, param, issues);
    } else if (type >= 0 && tool.isString(type, "custom")) {
      named(tool, "custom", names, param, issues);
    } else {
      issues.add(param.dot("type"), "must be function or custom");
    }
  }

  private static void named(
      JsonMembers tool, String member, Set<String> names, Param param, Issues issues) {
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
    } else if (!names.add(definition.string(name))) {
      issues.add(param, "has the name of another tool");
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
