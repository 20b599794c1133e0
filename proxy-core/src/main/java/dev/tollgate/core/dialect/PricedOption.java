package dev.tollgate.core.dialect;

import dev.tollgate.core.catalog.Provider.Quirks;
import dev.tollgate.core.dialect.Dialect.Operation;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Member of a request in OpenAI's format by which a client would choose another price, model or
 * route at some provider than the catalog's. Without the right to it the member is dropped; {@code
 * null} and {@code false} choose nothing and pass. Servers that match names by case folding exist,
 * so each spelling counts.
 */
public enum PricedOption {
  // Tiers
  SERVICE_TIER(Of.ALL, "service_tier", "auto", "default", "flex", "on_demand"),
  SERVICE_TIER_OF_CLOUDS(Of.ALL, "serviceTier", "auto", "default", "flex"),
  SPEED(Of.TEXT, "speed", "standard"),
  INFERENCE_GEO(Of.TEXT, "inference_geo", "global"),
  PERFORMANCE(Of.TEXT, "performanceConfig"),

  // Other models, and other routes to them
  MODELS(Of.ALL, "models"),
  FALLBACKS(Of.ALL, "fallbacks"),
  CONTEXT_FALLBACKS(Of.ALL, "context_window_fallbacks"),
  CONTENT_FALLBACKS(Of.ALL, "content_policy_fallbacks"),
  ROUTE(Of.ALL, "route"),
  PRESET(Of.ALL, "preset"),
  PROVIDER_OPTIONS(Of.ALL, "providerOptions"),
  PROVIDER_OPTIONS_SNAKE(Of.ALL, "provider_options"),
  COMPOUND(Of.TEXT, "compound_custom"),

  // Searches, tools and filters that are billed apart from tokens
  PLUGINS(Of.ALL, "plugins"),
  TRANSFORMS(Of.ALL, "transforms"),
  WEB_SEARCH(Of.TEXT, "web_search_options"),
  LIVE_SEARCH(Of.TEXT, "search_parameters"),
  SEARCH(Of.TEXT, "enable_search"),
  SEARCH_OPTIONS(Of.TEXT, "search_options"),
  CODE_INTERPRETER(Of.TEXT, "enable_code_interpreter"),
  DATA_SOURCES(Of.TEXT, "data_sources"),
  DATA_SOURCES_CAMEL(Of.TEXT, "dataSources"),
  CONTAINER(Of.TEXT, "container"),
  MCP_SERVERS(Of.TEXT, "mcp_servers"),
  GUARDRAIL(Of.TEXT, "guardrailConfig"),

  // More output than is reserved
  BEST_OF(Of.CHATS, "best_of"),
  PREDICT(Of.TEXT, "n_predict"),
  WIDTH(Of.IMAGES, "width"),
  HEIGHT(Of.IMAGES, "height"),
  IMAGE_SIZE(Of.IMAGES, "image_size"),
  RESOLUTION(Of.IMAGES, "resolution"),
  BATCH_SIZE(Of.IMAGES, "batch_size"),
  STEPS(Of.IMAGES, "steps"),
  INFERENCE_STEPS(Of.IMAGES, "num_inference_steps"),

  /** Gateways merge it into their request, with members of any name; Google's part is harmless. */
  EXTRA_BODY(Of.ALL, "extra_body");

  /** Members that Anthropic's Messages have, and that need the right. */
  public static final List<String> OF_MESSAGES = List.of("speed", "inference_geo");

  /** Members that Converse has, and that need the right. */
  public static final List<String> OF_CONVERSE =
      List.of("service_tier", "guardrailConfig", "performanceConfig");

  private static final String PART_OF_EXTRA_BODY = "google";
  private static final PricedOption[] NONE = {};
  private static final PricedOption[][] BY_LENGTH = byLength();

  private final Of of;
  private final String wire;
  private final String folded;

  @SuppressWarnings("ImmutableEnumChecker") // unmodifiable
  private final Set<String> free;

  /** Kinds of requests that have an option. */
  enum Of {
    ALL("all", EnumSet.allOf(Operation.class)),
    TEXT("chats, completions", EnumSet.of(Operation.CHAT, Operation.COMPLETION)),
    CHATS("chats", EnumSet.of(Operation.CHAT)),
    IMAGES("images", EnumSet.of(Operation.IMAGE, Operation.IMAGE_EDIT));

    private final String words;

    @SuppressWarnings("ImmutableEnumChecker") // never changed
    private final Set<Operation> operations;

    Of(String words, Set<Operation> operations) {
      this.words = words;
      this.operations = operations;
    }
  }

  /**
   * @param free values that cost no more than the model's price
   */
  PricedOption(Of of, String wire, String... free) {
    this.of = of;
    this.wire = wire;
    this.folded = JsonMembers.folded(wire);
    this.free = Set.of(free);
  }

  private static PricedOption[][] byLength() {
    int longest = Arrays.stream(values()).mapToInt(one -> one.wire.length()).max().orElse(0);
    PricedOption[][] byLength = new PricedOption[longest + 1][];
    for (int length = 0; length <= longest; length++) {
      int wanted = length;
      byLength[length] =
          Arrays.stream(values())
              .filter(one -> one.wire.length() == wanted)
              .toArray(PricedOption[]::new);
    }
    return byLength;
  }

  public String wire() {
    return wire;
  }

  /** Returns the kinds of requests that have the option, in words. */
  public String requests() {
    return of.words;
  }

  public boolean concerns(Operation operation) {
    return of.operations.contains(operation);
  }

  /** Returns the values that pass, because they cost no more than the model's price. */
  public Set<String> free() {
    return free;
  }

  // JSON

  /**
   * Deletes the options that clients of a provider have no right to.
   *
   * @return their JSON paths
   */
  public static List<String> drop(
      JsonMembers root, Operation operation, Quirks quirks, JsonSplice edits) {
    if (quirks.rights().pricedOptions()) {
      return List.of();
    }
    DroppedFields dropped = null;
    for (int i = 0; i < root.size(); i++) {
      PricedOption option = at(root, i);
      if (option != null && option.isChosen(root, i, operation)) {
        dropped = dropped == null ? new DroppedFields() : dropped;
        option.drop(root, i, edits, dropped);
      }
    }
    return dropped == null ? List.of() : dropped.paths();
  }

  /** Deletes a member if it is such an option; returns true if it is. */
  static boolean drop(
      JsonMembers root, int i, Operation operation, JsonSplice edits, DroppedFields dropped) {
    PricedOption option = at(root, i);
    if (option == null || !option.isChosen(root, i, operation)) {
      return false;
    }
    option.drop(root, i, edits, dropped);
    return true;
  }

  /** True if a member of an object that a provider hands to the model is such an option. */
  public static boolean isAt(JsonMembers object, int i, Operation operation) {
    PricedOption option = at(object, i);
    return option != null && option.isChosen(object, i, operation);
  }

  /** Returns the option that a member is; the usual names are compared with none or few of them. */
  private static @Nullable PricedOption at(JsonMembers root, int i) {
    if (!root.isPlainName(i)) {
      return named(JsonMembers.folded(root.name(i)));
    }
    int length = root.nameEnd(i) - root.nameStart(i) - 2;
    for (PricedOption option : ofLength(length)) {
      if (root.isNameFolded(i, option.folded)) {
        return option;
      }
    }
    return null;
  }

  private static @Nullable PricedOption named(String folded) {
    for (PricedOption option : ofLength(folded.length())) {
      if (option.folded.equals(folded)) {
        return option;
      }
    }
    return null;
  }

  private static PricedOption[] ofLength(int length) {
    return length < BY_LENGTH.length ? BY_LENGTH[length] : NONE;
  }

  private boolean isChosen(JsonMembers root, int i, Operation operation) {
    return of.operations.contains(operation)
        && switch (root.kind(i)) {
          case NULL, FALSE -> false;
          case STRING -> !free.contains(root.string(i));
          case OBJECT -> this != EXTRA_BODY || !isFree(root.object(i));
          case NUMBER, TRUE, ARRAY -> true;
        };
  }

  private static boolean isFree(JsonMembers extraBody) {
    for (int i = 0; i < extraBody.size(); i++) {
      if (!extraBody.isName(i, PART_OF_EXTRA_BODY)) {
        return false;
      }
    }
    return true;
  }

  private void drop(JsonMembers root, int i, JsonSplice edits, DroppedFields dropped) {
    if (this != EXTRA_BODY || root.kind(i) != JsonKind.OBJECT) {
      edits.delete(i);
      dropped.add(root.name(i));
      return;
    }
    JsonMembers extra = root.object(i);
    JsonSplice inside = JsonSplice.of(extra);
    for (int k = 0; k < extra.size(); k++) {
      if (!extra.isName(k, PART_OF_EXTRA_BODY)) {
        inside.delete(k);
        dropped.add(root.name(i) + "." + extra.name(k));
      }
    }
    edits.replace(i, inside);
  }

  // Forms and jobs

  /** True if a field of a form is an option without a right to it. */
  public static boolean isDropped(
      String field, Supplier<String> value, Operation operation, Quirks quirks) {
    PricedOption option = quirks.rights().pricedOptions() ? null : named(folded(field));
    return option != null
        && option.of.operations.contains(operation)
        && !option.isFree(value.get());
  }

  private boolean isFree(String value) {
    return value.isEmpty() || value.equals("false") || free.contains(value);
  }

  /** Returns the member that a field of a form is a part of: SDKs flatten lists and objects. */
  private static String folded(String field) {
    int end = 0;
    while (end < field.length() && field.charAt(end) != '[' && field.charAt(end) != '.') {
      end++;
    }
    return JsonMembers.folded(field.substring(0, end));
  }

  /** Returns the options of all requests that a job's parameters have. */
  public static List<String> ofJob(JsonMembers parameters) {
    List<String> found = new ArrayList<>(0);
    for (int i = 0; i < parameters.size(); i++) {
      PricedOption option = at(parameters, i);
      if (option != null
          && option.of == Of.ALL
          && option.isChosen(parameters, i, Operation.IMAGE)) {
        found.add(parameters.name(i));
      }
    }
    return found;
  }
}
