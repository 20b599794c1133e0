package dev.tollgate.core.api.responses;

import dev.tollgate.core.api.FieldRules;
import dev.tollgate.core.api.InferenceRequest;
import dev.tollgate.core.api.Issues;
import dev.tollgate.core.api.MediaUrl;
import dev.tollgate.core.api.ParseResult;
import dev.tollgate.core.api.RequestCheck;
import dev.tollgate.core.api.RequestRoot;
import dev.tollgate.core.api.RequestTarget;
import dev.tollgate.core.api.ValueRule;
import dev.tollgate.core.api.chat.ChatRequest;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.dialect.AdaptedChat;
import dev.tollgate.core.dialect.Dialect.Operation;
import dev.tollgate.core.dialect.DroppedFields;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonWriter;
import dev.tollgate.core.json.Param;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.prompt.PromptSize;
import dev.tollgate.core.prompt.TextRatio;
import dev.tollgate.core.routing.RoutingPreferences;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/**
 * Validated body of POST /v1/responses, translated to a chat request
 * (docs/decisions/responses.md#mapping), which routing, pricing and providers see. Unknown fields
 * are dropped, and named if they change the answer.
 */
public final class ResponsesRequest implements InferenceRequest {
  private static final FieldRules RULES = new FieldRules(rules());

  /** Members that only change what the reply or its stream holds besides the answer. */
  private static final Set<String> WITHOUT_EFFECT = Set.of("include", "stream_options");

  private static final int BYTES_MORE = 256;
  private static final Pattern TOOL = Pattern.compile("^(tools\\[\\d+])\\.function\\b");
  private static final Pattern FORMAT = Pattern.compile("^response_format(\\.json_schema)?\\b");

  private final ChatRequest chat;
  private final ResponseEventSet events;
  private final JsonBytes tools;
  private final InputPaths paths;
  private final List<String> unread;
  private final int heldBytes;

  private ResponsesRequest(
      ChatRequest chat,
      ResponseEventSet events,
      JsonBytes tools,
      InputPaths paths,
      List<String> unread,
      int chatBytes) {
    this.paths = paths;
    this.unread = unread;
    this.heldBytes = chatBytes + tools.sizeBytes() + paths.bytes();
    this.chat = chat;
    this.events = events;
    this.tools = tools;
  }

  private static Map<String, ValueRule> rules() {
    Map<String, ValueRule> rules = new HashMap<>();
    rules.put("model", ValueRule.ANY);
    rules.put("routing", ValueRule.ANY);
    rules.put("provider", ValueRule.ANY);
    rules.put("input", ValueRule.ANY);
    rules.put("tools", ValueRule.ANY);
    rules.put("text", ValueRule.ANY);
    rules.put("instructions", ValueRule.string().orNull());
    rules.put("max_output_tokens", ValueRule.integer(1, Long.MAX_VALUE).orNull());
    rules.put("temperature", ValueRule.number(0, 2).orNull());
    rules.put("stream", ValueRule.bool().orNull());
    rules.put("previous_response_id", FieldRules.rule(ResponsesRequest::refused).orNull());
    rules.put("store", FieldRules.rule(ResponsesRequest::notTrue).orNull());
    rules.put("background", FieldRules.rule(ResponsesRequest::notTrue).orNull());
    return rules;
  }

  private static void refused(JsonItems items, int i, Param param, Issues issues) {
    issues.add(param, "is not supported: no response is stored");
  }

  private static void notTrue(JsonItems items, int i, Param param, Issues issues) {
    ValueRule.bool().check(items, i, param, issues);
    if (items.kind(i) == JsonKind.TRUE) {
      refused(items, i, param, issues);
    }
  }

  /** Reads and checks a body; all issues are reported at once. */
  public static ParseResult<ResponsesRequest> parse(
      byte[] bytes, int length, ResponseEventSet events) {
    return RequestRoot.parse(
        bytes,
        length,
        Set.of("tools", "text"),
        Set.of("input", "tools", "text"),
        root -> check(root, events));
  }

  private static ParseResult<ResponsesRequest> check(JsonMembers root, ResponseEventSet events) {
    var check = RequestCheck.of(root, RULES, "model", "input");
    ByteBuf translated = Unpooled.buffer(root.objectEnd() - root.objectStart() + BYTES_MORE);
    var unread = new DroppedFields();
    addUnread(root, unread);
    InputPaths paths = writeChat(root, check.issues(), unread, new JsonWriter(translated));
    return check.resultOf(
        target ->
            of(
                translated,
                target.routing(),
                events,
                ResponsesTools.onOneLine(root),
                paths,
                unread.paths()));
  }

  private static ParseResult<ResponsesRequest> of(
      ByteBuf chat,
      RoutingPreferences preferences,
      ResponseEventSet events,
      JsonBytes tools,
      InputPaths paths,
      List<String> unread) {
    return ChatRequest.translated(chat.array(), chat.writerIndex(), preferences)
        .then(
            request ->
                new ParseResult.Valid<>(
                    new ResponsesRequest(request, events, tools, paths, unread, chat.capacity())));
  }

  /**
   * Returns the heap bound of a body during the translation: the body, and the chat, which may be
   * copied into an array twice as large.
   */
  public static long bytesWhileMapped(int length) {
    return length + 3L * (length + BYTES_MORE);
  }

  @Override
  public OptionalLong arraysHeld() {
    return OptionalLong.of(heldBytes);
  }

  /** Writes the chat; what cannot be translated is an issue, and then the chat is unusable. */
  private static InputPaths writeChat(
      JsonMembers root, Issues issues, DroppedFields unread, JsonWriter out) {
    out.beginObject();
    copy(root, "model", "model", out);
    var input = new ResponsesInput(issues, unread, out);
    input.write(root);
    new ResponsesTools(issues, out).write(root);
    new ResponsesText(issues, out).write(root);
    copy(root, "max_output_tokens", "max_completion_tokens", out);
    copy(root, "temperature", "temperature", out);
    copy(root, "stream", "stream", out);
    out.endObject();
    return input.paths();
  }

  /** Names the members that are not read and would change the answer. */
  private static void addUnread(JsonMembers root, DroppedFields unread) {
    for (int i = 0; i < root.size(); i++) {
      String name = root.name(i);
      if (!RULES.knows(name)
          && !WITHOUT_EFFECT.contains(name)
          && AdaptedChat.hasEffect(root, i, name)) {
        unread.add(name);
      }
    }
    for (String name : ResponsesText.unread(root)) {
      unread.add(name);
    }
  }

  private static void copy(JsonMembers root, String name, String as, JsonWriter out) {
    if (RequestRoot.isGiven(root, name)) {
      out.name(as).raw(JsonBytes.of(root, root.indexOf(name)));
    }
  }

  /** Returns the set of events in the stream. */
  ResponseEventSet events() {
    return events;
  }

  /** Returns the tools for the response object, on one line. */
  JsonBytes tools() {
    return tools;
  }

  @Override
  public ResponsesCall call(RequestId id, Model served) {
    return new ResponsesCall(this, chat.call(id, served));
  }

  @Override
  public Operation operation() {
    return chat.operation();
  }

  @Override
  public RequestTarget target() {
    return chat.target();
  }

  @Override
  public boolean isStream() {
    return chat.isStream();
  }

  @Override
  public Set<String> capabilitiesUsed() {
    return chat.capabilitiesUsed();
  }

  @Override
  public List<MediaUrl> mediaUrls() {
    return chat.mediaUrls().stream()
        .map(one -> new MediaUrl(one.index(), clientPath(one.param()), one.url()))
        .toList();
  }

  @Override
  public List<String> unservable(Route route) {
    return chat.unservable(route);
  }

  @Override
  public List<String> unsupported(Route route, Model served) {
    return chat.unsupported(route, served);
  }

  @Override
  public List<Fault.Issue> unservableIssues(List<String> ofChat) {
    return chat.unservableIssues(ofChat).stream().map(this::ofClient).distinct().toList();
  }

  /** Returns the paths of the client's body for what a provider did not get of the chat. */
  List<String> dropped(List<String> ofChat) {
    if (ofChat.isEmpty()) {
      return unread;
    }
    var all = new DroppedFields();
    all.addAll(unread, UnaryOperator.identity());
    all.addAll(ofChat, this::clientPath);
    return all.paths();
  }

  private Fault.Issue ofClient(Fault.Issue ofChat) {
    String param = ofChat.param();
    return param == null ? ofChat : new Fault.Issue(clientPath(param), ofChat.message());
  }

  private String clientPath(String ofChat) {
    return ofChat.startsWith("messages") ? paths.of(ofChat) : paramOf(ofChat);
  }

  @Override
  public String promptPrefix() {
    return chat.promptPrefix();
  }

  @Override
  public PromptSize prompt() {
    return chat.prompt();
  }

  @Override
  public Optional<TextRatio> textRatio() {
    return chat.textRatio();
  }

  @Override
  public MicroUsd estimate(Model served) {
    return chat.estimate(served);
  }

  @Override
  public Optional<OutputBound> outputBound() {
    return chat.outputBound().map(bound -> new OutputBound("max_output_tokens", bound.cost()));
  }

  @Override
  public long tokensEstimated(Model served) {
    return chat.tokensEstimated(served);
  }

  @Override
  public List<ByteBuf> bodyFor(Route route) {
    return chat.bodyFor(route);
  }

  /**
   * Maps all messages to the input, because the provider may have got others among those of the
   * chat.
   */
  @Override
  public String paramOf(String upstreamParam) {
    if (upstreamParam.startsWith("messages")) {
      return "input";
    }
    return switch (upstreamParam) {
      case "max_tokens", "max_completion_tokens" -> "max_output_tokens";
      default ->
          FORMAT
              .matcher(TOOL.matcher(upstreamParam).replaceFirst("$1"))
              .replaceFirst("text.format");
    };
  }

  @Override
  public boolean mayBeHedged() {
    return chat.mayBeHedged();
  }

  @Override
  public boolean mayBeResumed() {
    return chat.mayBeResumed();
  }

  @Override
  public boolean mayBePrefilled(Route route, Model served) {
    return chat.mayBePrefilled(route, served);
  }
}
