package dev.tollgate.core.api.chat;

import dev.tollgate.core.api.DeliveredContent;
import dev.tollgate.core.api.InferenceRequest;
import dev.tollgate.core.api.MediaUrl;
import dev.tollgate.core.api.ParseResult;
import dev.tollgate.core.api.RequestCheck;
import dev.tollgate.core.api.RequestRoot;
import dev.tollgate.core.api.RequestTarget;
import dev.tollgate.core.api.TokenEstimate;
import dev.tollgate.core.api.UpstreamBody;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Prefill;
import dev.tollgate.core.catalog.Provider;
import dev.tollgate.core.catalog.RemoteMedia;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.dialect.AdaptedChat;
import dev.tollgate.core.dialect.CallPairing;
import dev.tollgate.core.dialect.ChatTranslation;
import dev.tollgate.core.dialect.Dialect.Operation;
import dev.tollgate.core.dialect.JsonReads;
import dev.tollgate.core.dialect.ToolNameRule;
import dev.tollgate.core.dialect.TranslatedRequest;
import dev.tollgate.core.dialect.registry.Dialects;
import dev.tollgate.core.dialect.tool.CallRestoration;
import dev.tollgate.core.dialect.tool.ClientTools;
import dev.tollgate.core.egress.FetchResult;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.JsonSplice;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.WorstCase;
import dev.tollgate.core.prompt.PromptSize;
import dev.tollgate.core.prompt.TextDensity;
import dev.tollgate.core.prompt.TextRatio;
import dev.tollgate.core.routing.RoutingPreferences;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Valid body of POST /v1/chat/completions, over the array in which it was received. */
public final class ChatRequest implements InferenceRequest {
  // The known members that providers convert to prompt tokens.
  private static final List<String> PROMPT_FIELDS =
      List.of("messages", "tools", "functions", "response_format");
  private static final String[] REQUIRED = {"model", "messages"};
  private final JsonMembers root;
  private final RequestTarget target;
  private final boolean stream;
  private final long outputTokensAsked;
  private final PromptSize prompt;
  private final boolean mayBeAudio;
  private final boolean hasImages;
  private final boolean hasMediaInResults;
  private final boolean hasCalls;
  private final boolean endsWithAssistant;
  private final List<MediaString> urls;
  private final boolean isMapped;

  /** Grows with the body of each attempt, before the reply to it is read. */
  private volatile CallRestoration restoration = CallRestoration.NONE;

  private ChatRequest(
      JsonMembers root,
      RequestTarget target,
      PromptSize prompt,
      ChatMessages messages,
      boolean isMapped) {
    this.root = root;
    this.isMapped = isMapped;
    this.target = target;
    this.stream = RequestRoot.isTrue(root, "stream");
    this.outputTokensAsked = outputTokensAsked(root);
    this.prompt = prompt;
    this.hasImages = messages.hasImages();
    this.hasMediaInResults = messages.hasMediaInResults();
    this.hasCalls = messages.haveCalls();
    this.endsWithAssistant = messages.endWithAssistant();
    this.urls = messages.urls();
    this.mayBeAudio =
        messages.hasAudio() || root.indexOf("audio") >= 0 || root.indexOf("modalities") >= 0;
  }

  /** Reads and checks a body; all issues are reported at once. */
  public static ParseResult<ChatRequest> parse(byte[] bytes, int length) {
    return RequestRoot.parse(
        bytes,
        length,
        ChatFields.SCHEMA_FIELDS,
        ChatFields.BOUNDED,
        root -> check(root, RequestCheck.of(root, ChatFields.RULES, REQUIRED), false));
  }

  /**
   * Reads a chat that was translated from another route's request, whose preferences were read
   * there.
   */
  public static ParseResult<ChatRequest> translated(
      byte[] bytes, int length, RoutingPreferences preferences) {
    return RequestRoot.parse(
        bytes,
        length,
        ChatFields.SCHEMA_FIELDS,
        ChatFields.BOUNDED,
        root -> check(root, RequestCheck.of(root, ChatFields.RULES, preferences, REQUIRED), true));
  }

  /**
   * @param isMapped true for a chat that was mapped from another endpoint's request
   */
  private static ParseResult<ChatRequest> check(
      JsonMembers root, RequestCheck check, boolean isMapped) {
    var messages = new ChatMessages(check.issues());
    int messagesAt = root.indexOf("messages");
    if (messagesAt >= 0) {
      messages.check(root, messagesAt);
    }
    if (check.hasUnread()) {
      messages.checkUnread(root, ChatFields.RULES.names());
    }
    PromptSize prompt = size(root, messages, check.unreadBytes());
    return check.result(target -> new ChatRequest(root, target, prompt, messages, isMapped));
  }

  private static PromptSize size(JsonMembers root, ChatMessages messages, long unreadBytes) {
    long textBytes = unreadBytes - messages.bytesNotText();
    for (String name : PROMPT_FIELDS) {
      textBytes += RequestRoot.bytesOf(root, name);
    }
    JsonMembers choice = JsonReads.object(root, "tool_choice"); // it may list tools
    textBytes += choice.objectEnd() - choice.objectStart();
    return new PromptSize(textBytes, unreadBytes, 0, messages.media());
  }

  // If both are given, providers disagree on which one counts.
  private static long outputTokensAsked(JsonMembers root) {
    long asked = 0;
    for (String name : List.of("max_completion_tokens", "max_tokens")) {
      int i = root.indexOf(name);
      asked = i < 0 ? asked : Math.max(asked, root.integer(i, 0));
    }
    return asked;
  }

  @Override
  public Operation operation() {
    return Operation.CHAT;
  }

  @Override
  public ChatCall call(RequestId id, Model served) {
    return new ChatCall(id, this, served);
  }

  @Override
  public RequestTarget target() {
    return target;
  }

  @Override
  public boolean isStream() {
    return stream;
  }

  @Override
  public boolean mayBeHedged() {
    return stream;
  }

  /** True if the stream can be continued elsewhere: content besides text cannot be. */
  @Override
  public boolean mayBeResumed() {
    return stream
        && !RequestRoot.isTrue(root, "logprobs")
        && !isGiven("audio")
        && !isGiven("modalities");
  }

  @Override
  public boolean mayBePrefilled(Route route, Model served) {
    return !endsWithAssistant
        && translation(route).map(to -> to.takesPrefill(root, route, served)).orElse(true);
  }

  @Override
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

  private boolean isGiven(String name) {
    return RequestRoot.isGiven(root, name);
  }

  private static void addIf(Set<String> names, String name, boolean holds) {
    if (holds) {
      names.add(name);
    }
  }

  @Override
  public String promptPrefix() {
    return PromptPrefix.of(root);
  }

  @Override
  public PromptSize prompt() {
    return prompt;
  }

  @Override
  public Optional<TextRatio> textRatio() {
    int i = root.indexOf("messages");
    return Optional.of(TextDensity.of(root.bytes(), root.valueStart(i), root.valueEnd(i)));
  }

  @Override
  public MicroUsd estimate(Model served) {
    return estimate(served, outputAtMost(served));
  }

  private MicroUsd estimate(Model served, long outputTokens) {
    long media = prompt.media().tokensAtMost(served);
    long tokens = TokenEstimate.atMost(prompt.textBytes(), media, served.contextLengthMax());
    return WorstCase.ofTokens(tokens, outputTokens, mayBeAudio).cost(served.prices());
  }

  @Override
  public Optional<OutputBound> outputBound() {
    boolean newer = root.indexOf("max_completion_tokens") >= 0;
    String param = newer ? "max_completion_tokens" : "max_tokens";
    return Optional.of(
        new OutputBound(
            param,
            (served, tokens) -> estimate(served, TokenEstimate.outputAtMost(tokens, served))));
  }

  /**
   * Returns the tokens that the limit of tokens per minute sets aside: the likely prompt and the
   * longest output. Reservations need the worst case; here the worst case would refuse prompts that
   * fit four times.
   */
  @Override
  public long tokensEstimated(Model served) {
    return prompt.tokensSetAside() + outputAtMost(served);
  }

  private long outputAtMost(Model served) {
    long output = outputTokensAsked > 0 ? outputTokensAsked : served.outputTokensReserved();
    return TokenEstimate.outputAtMost(output, served);
  }

  @Override
  public List<ByteBuf> bodyFor(Route route) {
    return upstreamBody(root, route).body();
  }

  /**
   * Returns the body for a provider with OpenAI's dialect.
   *
   * @param chat this request, perhaps with edits
   */
  UpstreamBody upstreamBody(JsonMembers chat, Route route) {
    JsonMembers body = isMapped ? named(chat) : chat;
    JsonSplice edits = RequestRoot.edited(body, stream, route);
    List<String> dropped = unsent(edits, body, route.provider().quirks());
    return new UpstreamBody(edits.toBuffers(), dropped);
  }

  /** Replaces names of tools that other endpoints of OpenAI's accept, but chats do not. */
  private JsonMembers named(JsonMembers chat) {
    ClientTools tools = ClientTools.named(chat, ToolNameRule.OPENAI);
    restoration = restoration.and(tools.restoration());
    return tools.chat();
  }

  /** Returns the body in another dialect. */
  TranslatedRequest translated(
      ChatTranslation translation, JsonMembers chat, Route route, Model served) {
    ClientTools tools = ClientTools.converted(chat, translation.toolNames());
    restoration = restoration.and(tools.restoration());
    return tools.translated(translation, route, served);
  }

  /** Returns the way back from a provider's calls to the client's. */
  CallRestoration restoration() {
    return restoration;
  }

  /** Returns the body as received. */
  JsonMembers canonical() {
    return root;
  }

  /** Returns the body with media inline instead of their URLs, by their index. */
  JsonMembers inlined(Map<Integer, FetchResult.Image> images) {
    byte[] json = new byte[inlinedBytes(images)];
    ByteBuf out = Unpooled.wrappedBuffer(json).clear();
    int copied = root.objectStart();
    for (MediaString url : urls) {
      FetchResult.Image image = images.get(url.media().index());
      if (image != null) {
        out.writeBytes(root.bytes(), copied, url.from() - copied).writeByte('"');
        image.writeDataUriTo(out);
        out.writeByte('"');
        copied = url.to();
      }
    }
    out.writeBytes(root.bytes(), copied, root.objectEnd() - copied);
    return JsonMembers.ofKept(json);
  }

  /** Returns the size of the body with media inline. */
  int inlinedBytes(Map<Integer, FetchResult.Image> images) {
    int bytes = root.objectEnd() - root.objectStart();
    for (MediaString url : urls) {
      FetchResult.Image image = images.get(url.media().index());
      bytes += image == null ? 0 : 2 + image.dataUriBytes() - (url.to() - url.from());
    }
    return bytes;
  }

  /** Returns a body with the beginning of the answer as a prefill. */
  static JsonMembers prefilled(JsonMembers chat, DeliveredContent delivered, Prefill style) {
    JsonSplice splice = JsonSplice.of(chat);
    PrefillEdits.apply(splice, chat, delivered, style);
    byte[] json = new byte[splice.sizeBytes()];
    splice.writeTo(Unpooled.wrappedBuffer(json).clear());
    return JsonMembers.ofKept(json);
  }

  @Override
  public List<MediaUrl> mediaUrls() {
    return urls.isEmpty() ? List.of() : urls.stream().map(MediaString::media).toList();
  }

  @Override
  public List<String> unservable(Route route) {
    Optional<RemoteMedia> media = route.provider().quirks().remoteMedia();
    if (!urls.isEmpty() && media.filter(RemoteMedia.REFUSE::equals).isPresent()) {
      return urls.stream().map(url -> url.media().param()).toList();
    }
    return hasCalls
        ? translation(route).map(to -> to.callPairing().unpaired(root)).orElse(List.of())
        : List.of();
  }

  private static Optional<ChatTranslation> translation(Route route) {
    return Dialects.named(route.provider().dialect()).translation();
  }

  @Override
  public List<Fault.Issue> unservableIssues(List<String> paths) {
    return CallPairing.issues(paths)
        .orElseGet(() -> InferenceRequest.super.unservableIssues(paths));
  }

  @Override
  public List<String> unsupported(Route route, Model served) {
    List<String> unsent =
        translation(route)
            .map(to -> dropped(to, route, served))
            .orElseGet(() -> unsent(JsonSplice.of(root), root, route.provider().quirks()));
    return Stream.concat(unservable(route).stream(), unsent.stream()).distinct().toList();
  }

  private List<String> dropped(ChatTranslation translation, Route route, Model served) {
    return ClientTools.converted(root, translation.toolNames())
        .translated(translation, route, served)
        .unsupported();
  }

  /** Adds the edits for a server, and returns what it does not get. */
  private List<String> unsent(JsonSplice edits, JsonMembers body, Provider.Quirks server) {
    return AdaptedChat.addEdits(edits, body, server, hasMediaInResults);
  }
}
