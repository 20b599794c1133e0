package dev.tollgate.core.api.speech;

import dev.tollgate.core.api.FieldRules;
import dev.tollgate.core.api.InferenceRequest;
import dev.tollgate.core.api.Issues;
import dev.tollgate.core.api.ParseResult;
import dev.tollgate.core.api.ReplyMode;
import dev.tollgate.core.api.RequestCheck;
import dev.tollgate.core.api.RequestRoot;
import dev.tollgate.core.api.RequestTarget;
import dev.tollgate.core.api.TokenEstimate;
import dev.tollgate.core.api.UpstreamBody;
import dev.tollgate.core.api.ValueRule;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.dialect.Dialect.Operation;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.Param;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.Quantity;
import dev.tollgate.core.money.WorstCase;
import dev.tollgate.core.prompt.PromptSize;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Validated body of POST /v1/audio/speech, over the array in which it was received. */
public final class SpeechRequest implements InferenceRequest {
  private static final int CHARACTERS_MAX = 4_096;
  private static final double SPEED_MIN = 0.25;
  // An upper bound for letters of any script: no byte of text takes a tenth of a second to speak.
  private static final int TOKENS_PER_BYTE_MOST = 2;
  private static final int TOKENS_LEAST = 64;
  private static final int PLAUSIBLE_TOKENS_MIN = 10_000;
  private static final int PLAUSIBLE_FACTOR = 8;

  private static final FieldRules RULES = new FieldRules(rules());

  private final JsonMembers root;
  private final RequestTarget target;
  private final long unreadBytes;
  private final int characters;
  private final SpeechFormat format;
  private final boolean events;
  private final double speed;

  private SpeechRequest(JsonMembers root, RequestTarget target, long unreadBytes) {
    this.root = root;
    this.unreadBytes = unreadBytes;
    this.target = target;
    this.characters = characters(root, root.indexOf("input"));
    this.format = SpeechFormat.parse(text(root, "response_format")).orElse(SpeechFormat.MP3);
    this.events = text(root, "stream_format").equals("sse");
    this.speed = RequestRoot.isGiven(root, "speed") ? root.number(root.indexOf("speed")) : 1;
  }

  private static Map<String, ValueRule> rules() {
    Map<String, ValueRule> rules = new HashMap<>();
    FieldRules.putCommon(rules);
    rules.put("input", SpeechRequest::spoken);
    rules.put("voice", SpeechRequest::voice);
    rules.put("instructions", FieldRules.rule(SpeechRequest::instructions).orNull());
    rules.put("response_format", FieldRules.rule(SpeechRequest::format).orNull());
    rules.put("stream_format", FieldRules.rule(SpeechRequest::streamFormat).orNull());
    rules.put("speed", ValueRule.number(SPEED_MIN, 4).orNull());
    return rules;
  }

  private static void spoken(JsonItems items, int i, Param param, Issues issues) {
    if (items.kind(i) == JsonKind.STRING && items.isEmptyString(i)) {
      issues.add(param, "must not be empty");
    } else {
      instructions(items, i, param, issues);
    }
  }

  private static void instructions(JsonItems items, int i, Param param, Issues issues) {
    if (items.kind(i) != JsonKind.STRING) {
      issues.add(param, "must be a string");
    } else if (characters(items, i) > CHARACTERS_MAX) {
      issues.add(param, "must not have more than 4,096 characters");
    }
  }

  private static void voice(JsonItems items, int i, Param param, Issues issues) {
    switch (items.kind(i)) {
      case STRING -> {
        if (items.isEmptyString(i)) {
          issues.add(param, "must not be empty");
        }
      }
      case OBJECT -> {
        JsonMembers custom = items.object(i);
        int id = custom.indexOf("id");
        if (id < 0 || custom.kind(id) != JsonKind.STRING) {
          issues.add(param.dot("id"), "must be a string");
        }
      }
      case NUMBER, TRUE, FALSE, NULL, ARRAY ->
          issues.add(param, "must be a string or an object with an id");
    }
  }

  private static void format(JsonItems items, int i, Param param, Issues issues) {
    boolean isText = items.kind(i) == JsonKind.STRING;
    if (!isText || SpeechFormat.parse(items.string(i)).isEmpty()) {
      issues.add(param, "must be mp3, opus, aac, flac, wav or pcm");
    }
  }

  private static void streamFormat(JsonItems items, int i, Param param, Issues issues) {
    if (!items.isString(i, "sse") && !items.isString(i, "audio")) {
      issues.add(param, "must be sse or audio");
    }
  }

  /** Counts the spoken characters; a surrogate pair counts as one. */
  private static int characters(JsonItems items, int i) {
    String text = items.string(i);
    return text.codePointCount(0, text.length());
  }

  private static String text(JsonMembers root, String name) {
    return RequestRoot.isGiven(root, name) ? root.string(root.indexOf(name)) : "";
  }

  /** Reads and checks a body; all issues are reported at once. */
  public static ParseResult<SpeechRequest> parse(byte[] bytes, int length) {
    return RequestRoot.parse(bytes, length, Set.of(), Set.of(), SpeechRequest::check);
  }

  private static ParseResult<SpeechRequest> check(JsonMembers root) {
    var check = RequestCheck.of(root, RULES, "model", "input", "voice");
    return check.result(target -> new SpeechRequest(root, target, check.unreadBytes()));
  }

  @Override
  public Operation operation() {
    return Operation.SPEECH;
  }

  @Override
  public RequestTarget target() {
    return target;
  }

  /** Returns true: speech is streamed as bytes or as events. */
  @Override
  public boolean isStream() {
    return true;
  }

  @Override
  public ReplyMode mode() {
    return events ? ReplyMode.EVENTS : ReplyMode.BYTES;
  }

  @Override
  public boolean mayBeAnsweredAs(String contentType) {
    return contentType.startsWith("audio/")
        || contentType.startsWith("video/")
        || contentType.startsWith("application/octet-stream")
        || contentType.startsWith("application/ogg")
        || contentType.startsWith("binary/");
  }

  SpeechFormat format() {
    return format;
  }

  /**
   * Returns the quantities that are priced by the character: the whole text, however much audio was
   * delivered.
   */
  List<Quantity> quantities() {
    return List.of(new Quantity.Characters(characters));
  }

  /** Returns the bound of plausible token counts. */
  int plausibleTokensMax() {
    long max = PLAUSIBLE_FACTOR * (tokensAtMost() + textBytes());
    return (int) Math.max(PLAUSIBLE_TOKENS_MIN, max);
  }

  /** Returns the bound of plausible audio time. */
  Duration plausibleDurationMax() {
    return SpeechFormat.timeOfTokens(plausibleTokensMax());
  }

  private long textBytes() {
    return RequestRoot.bytesOf(root, "input") + RequestRoot.bytesOf(root, "instructions");
  }

  @Override
  public PromptSize prompt() {
    return PromptSize.ofText(textBytes(), unreadBytes);
  }

  @Override
  public MicroUsd estimate(Model served) {
    long prompt = TokenEstimate.atMost(prompt().textBytes(), 0, served.contextLengthMax());
    long tokens = tokensAtMost(served);
    List<Quantity> max = new ArrayList<>(quantities());
    max.add(new Quantity.AudioTime(SpeechFormat.timeOfTokens(tokens)));
    return new WorstCase(prompt, tokens, true, max).cost(served.prices());
  }

  /** Returns an upper bound of the tokens of audio. */
  private long tokensAtMost(Model served) {
    return TokenEstimate.outputAtMost(tokensAtMost(), served);
  }

  private long tokensAtMost() {
    double slowest = TOKENS_PER_BYTE_MOST / Math.min(1, speed);
    return TOKENS_LEAST + (long) (slowest * RequestRoot.bytesOf(root, "input"));
  }

  @Override
  public long tokensEstimated(Model served) {
    return prompt().tokensSetAside() + (served.prices().isByTokens() ? tokensAtMost(served) : 0);
  }

  @Override
  public List<String> unsupported(Route route, Model served) {
    return RequestRoot.unsupported(root, operation(), route);
  }

  @Override
  public List<ByteBuf> bodyFor(Route route) {
    return upstreamBody(route).body();
  }

  UpstreamBody upstreamBody(Route route) {
    return RequestRoot.upstreamBody(root, false, operation(), route);
  }

  @Override
  public SpeechCall call(RequestId id, Model served) {
    return new SpeechCall(id, this, served);
  }
}
