package dev.tollgate.core.endpoint;

import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.json.InvalidJson;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.WorstCase;
import dev.tollgate.core.routing.RoutingWish;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A valid body of POST /v1/chat/completions, over the array it came in. */
public final class ChatRequest {
  // What a provider makes prompt tokens of.
  private static final List<String> PROMPT_FIELDS =
      List.of("messages", "tools", "functions", "response_format");
  private static final int BEGINNING_BYTES_MAX = 4_096;
  private static final JsonBytes INCLUDE_USAGE = JsonBytes.raw("{\"include_usage\":true}");

  private final JsonMembers root;
  private final ModelId model;
  private final boolean stream;
  private final RoutingWish routing;
  private final long outputTokensAsked;
  private final long textBytes;
  private final int mediaParts;
  private final long mediaTokensAtMost;
  private final boolean mayBeAudio;
  private final boolean hasImages;

  private ChatRequest(
      JsonMembers root,
      ModelId model,
      boolean stream,
      RoutingWish routing,
      long textBytes,
      ChatMessages messages) {
    this.root = root;
    this.model = model;
    this.stream = stream;
    this.routing = routing;
    this.outputTokensAsked = outputTokensAsked(root);
    this.textBytes = textBytes;
    this.mediaParts = messages.partsNotText();
    this.mediaTokensAtMost = messages.mediaTokensAtMost();
    this.hasImages = messages.hasImages();
    this.mayBeAudio =
        messages.hasAudio() || root.indexOf("audio") >= 0 || root.indexOf("modalities") >= 0;
  }

  /** What reading a body brought. */
  public sealed interface Parsed {
    record Valid(ChatRequest request) implements Parsed {}

    record Refused(Fault fault) implements Parsed {}
  }

  /** Reads and checks a body; every issue is reported at once. */
  public static Parsed parse(byte[] bytes, int length) {
    JsonMembers root;
    try {
      root = JsonMembers.of(bytes, 0, length);
    } catch (InvalidJson e) {
      return new Parsed.Refused(refusal(e));
    }
    if (ChatFields.isTooDeep(root)) {
      return new Parsed.Refused(
          Fault.of(ErrorCode.VALIDATION_FAILED, "the body is nested too deeply"));
    }
    return check(root);
  }

  private static Fault refusal(InvalidJson e) {
    return switch (e.reason()) {
      case MALFORMED ->
          Fault.of(ErrorCode.INVALID_JSON, "the body is not valid JSON: " + e.getMessage());
      case NOT_AN_OBJECT, NOT_AN_ARRAY ->
          Fault.of(ErrorCode.VALIDATION_FAILED, "the body must be a JSON object");
      case TOO_DEEP, TOO_MANY_MEMBERS, NAME_TOO_LONG ->
          Fault.of(ErrorCode.VALIDATION_FAILED, "the body is refused: " + e.getMessage());
    };
  }

  private static Parsed check(JsonMembers root) {
    var issues = new Issues();
    int messagesAt = root.indexOf("messages");
    int modelAt = root.indexOf("model");
    if (modelAt < 0) {
      issues.add("model", "is required");
    }
    if (messagesAt < 0) {
      issues.add("messages", "is required");
    }
    ChatFields.checkNames(root, issues);
    Optional<ModelId> model = modelAt < 0 ? Optional.empty() : model(root, modelAt, issues);
    ChatFields.checkValues(root, issues);
    var messages = new ChatMessages(issues);
    if (messagesAt >= 0) {
      messages.check(root, messagesAt);
    }
    boolean stream = isTrue(root, "stream");
    RoutingFields.Read routing = RoutingFields.read(root, issues);
    if (!issues.isEmpty() || model.isEmpty()) {
      return new Parsed.Refused(issues.toFault());
    }
    if (routing.unmet() != null) {
      return new Parsed.Refused(routing.unmet());
    }
    long textBytes = -messages.bytesNotText();
    for (String name : PROMPT_FIELDS) {
      textBytes += bytesOf(root, name);
    }
    return new Parsed.Valid(
        new ChatRequest(root, model.get(), stream, routing.wish(), textBytes, messages));
  }

  private static Optional<ModelId> model(JsonMembers root, int i, Issues issues) {
    Optional<ModelId> model =
        root.kind(i) == JsonKind.STRING ? ModelId.parse(root.string(i)) : Optional.empty();
    if (model.isEmpty()) {
      issues.add("model", "must be a string of the form <vendor>/<name>");
    }
    return model;
  }

  private static boolean isTrue(JsonMembers root, String name) {
    int i = root.indexOf(name);
    return i >= 0 && root.kind(i) == JsonKind.TRUE;
  }

  private static long bytesOf(JsonMembers root, String name) {
    int i = root.indexOf(name);
    return i < 0 ? 0 : root.valueEnd(i) - root.valueStart(i);
  }

  // Where both are given, providers disagree on which one counts.
  private static long outputTokensAsked(JsonMembers root) {
    long asked = 0;
    for (String name : List.of("max_completion_tokens", "max_tokens")) {
      int i = root.indexOf(name);
      asked = i < 0 ? asked : Math.max(asked, root.integer(i, 0));
    }
    return asked;
  }

  public ModelId model() {
    return model;
  }

  public boolean isStream() {
    return stream;
  }

  /** What the request says about its routing. */
  public RoutingWish routing() {
    return routing;
  }

  /** Whether its stream can be continued elsewhere: what comes beside text cannot be. */
  public boolean mayBeResumed() {
    return stream && !isTrue(root, "logprobs") && !isGiven("audio") && !isGiven("modalities");
  }

  /** Whether a provider can be handed the beginning of the answer. */
  public boolean mayBePrefilled() {
    return !Prefilling.isBegunBy(root);
  }

  /** The capabilities that the request uses, as far as they have names. */
  public Set<String> capabilitiesUsed() {
    Set<String> used = new HashSet<>();
    addIf(used, "streaming", stream);
    addIf(used, "tools", isGiven("tools") || isGiven("functions"));
    addIf(used, "vision", hasImages);
    addIf(used, "reasoning", isGiven("reasoning_effort") || isGiven("reasoning"));
    int format = root.indexOf("response_format");
    boolean isObject = format >= 0 && root.kind(format) == JsonKind.OBJECT;
    JsonMembers asked = isObject ? root.object(format) : null;
    int type = asked == null ? -1 : asked.indexOf("type");
    addIf(used, "json_schema", type >= 0 && asked != null && asked.isString(type, "json_schema"));
    return used;
  }

  private static void addIf(Set<String> names, String name, boolean holds) {
    if (holds) {
      names.add(name);
    }
  }

  private boolean isGiven(String name) {
    int i = root.indexOf(name);
    return i >= 0 && root.kind(i) != JsonKind.NULL;
  }

  /**
   * How the conversation begins, up to its first word of a user and not beyond a bound: what stays
   * the same while it grows. Empty where nothing can be told.
   */
  public String beginning() {
    int i = root.indexOf("messages");
    if (i < 0) {
      return "";
    }
    JsonElements messages = root.array(i);
    int end = root.valueStart(i);
    for (int k = 0; k < messages.size(); k++) {
      end = messages.valueEnd(k);
      JsonMembers message = messages.object(k);
      int role = message.indexOf("role");
      if (end - root.valueStart(i) >= BEGINNING_BYTES_MAX
          || (role >= 0 && message.isString(role, "user"))) {
        break;
      }
    }
    int length = Math.min(end - root.valueStart(i), BEGINNING_BYTES_MAX);
    return new String(root.bytes(), root.valueStart(i), length, StandardCharsets.ISO_8859_1);
  }

  /** What the prompt most likely counts, for usage that nobody reported. */
  public long promptTokensLikely() {
    return TokenEstimate.likely(textBytes, mediaParts);
  }

  /** The worst case of this request at a model: what admission reserves (DECISIONS 8). */
  public MicroUsd estimate(Model served) {
    long prompt = TokenEstimate.atMost(textBytes, mediaTokensAtMost, served.contextLength());
    return WorstCase.ofTokens(prompt, outputAtMost(served), mayBeAudio).cost(served.prices());
  }

  /**
   * What the limit of tokens per minute sets aside: the likely prompt and all that may be written.
   * Money needs the worst case; here it would refuse prompts that fit four times over.
   */
  public long tokensEstimated(Model served) {
    return promptTokensLikely() + outputAtMost(served);
  }

  private long outputAtMost(Model served) {
    long output = outputTokensAsked > 0 ? outputTokensAsked : served.outputTokensReserved();
    return TokenEstimate.outputAtMost(output, served);
  }

  /**
   * The body for a route: only {@code model}, {@code routing}, {@code provider} and, of a stream,
   * {@code stream_options} are touched, everything else stays byte for byte. A provider that cannot
   * be asked for usage does not know the options: they are left out. Wraps the request's array,
   * which must outlive the buffers.
   */
  public List<ByteBuf> bodyFor(Route route) {
    return edited(route).toBuffers();
  }

  /** The body for a route that is to continue what was delivered. */
  List<ByteBuf> bodyFor(Route route, Delivered delivered) {
    JsonSplice splice = edited(route);
    Prefilling.into(splice, root, delivered, route.provider().quirks().prefill());
    return splice.toBuffers();
  }

  private JsonSplice edited(Route route) {
    JsonSplice splice =
        JsonSplice.of(root).replace(root.indexOf("model"), JsonBytes.string(route.upstreamModel()));
    delete(splice, "routing");
    delete(splice, "provider");
    if (stream && route.provider().quirks().streamOptions()) {
      askForUsage(splice);
    } else if (stream) {
      delete(splice, "stream_options");
    }
    return splice;
  }

  private void delete(JsonSplice splice, String name) {
    int i = root.indexOf(name);
    if (i >= 0) {
      splice.delete(i);
    }
  }

  private void askForUsage(JsonSplice splice) {
    int i = root.indexOf("stream_options");
    if (i < 0) {
      splice.insertLast("stream_options", INCLUDE_USAGE);
      return;
    }
    JsonMembers options = root.kind(i) == JsonKind.OBJECT ? root.object(i) : null;
    splice.replace(i, options == null || options.size() == 0 ? INCLUDE_USAGE : merged(options));
  }

  private static JsonSplice merged(JsonMembers options) {
    JsonSplice splice = JsonSplice.of(options);
    int include = options.indexOf("include_usage");
    if (include < 0) {
      return splice.insertLast("include_usage", JsonBytes.TRUE);
    }
    splice.replace(include, JsonBytes.TRUE);
    for (int k = options.indexOf("include_usage", include + 1);
        k >= 0;
        k = options.indexOf("include_usage", k + 1)) {
      splice.delete(k);
    }
    return splice;
  }
}
