package dev.tollgate.core.api.completion;

import dev.tollgate.core.api.FieldRules;
import dev.tollgate.core.api.InferenceRequest;
import dev.tollgate.core.api.Issues;
import dev.tollgate.core.api.MediaUrl;
import dev.tollgate.core.api.ParseResult;
import dev.tollgate.core.api.PromptInput;
import dev.tollgate.core.api.RequestCheck;
import dev.tollgate.core.api.RequestRoot;
import dev.tollgate.core.api.RequestTarget;
import dev.tollgate.core.api.TokenEstimate;
import dev.tollgate.core.api.UpstreamBody;
import dev.tollgate.core.api.ValueRule;
import dev.tollgate.core.api.chat.MediaStrings;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.dialect.Dialect.Operation;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.WorstCase;
import dev.tollgate.core.prompt.PromptSize;
import dev.tollgate.core.prompt.TextDensity;
import dev.tollgate.core.prompt.TextRatio;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Validated body of POST /v1/completions, over the array in which it was received. */
public final class CompletionRequest implements InferenceRequest {
  private static final int PREFIX_BYTES_MAX = 1_024;
  private static final int BEST_OF_MAX = 20;
  private static final Set<String> BOUNDED = Set.of("logit_bias", "stop", "stream_options");
  private static final FieldRules RULES = new FieldRules(rules());

  private final JsonMembers root;
  private final RequestTarget target;
  private final PromptInput prompt;
  private final long unreadBytes;
  private final boolean stream;
  private final List<MediaUrl> urls;

  private CompletionRequest(
      JsonMembers root,
      RequestTarget target,
      PromptInput prompt,
      long unreadBytes,
      List<MediaUrl> urls) {
    this.root = root;
    this.target = target;
    this.prompt = prompt;
    this.unreadBytes = unreadBytes;
    this.urls = urls;
    this.stream = RequestRoot.isTrue(root, "stream");
  }

  private static Map<String, ValueRule> rules() {
    Map<String, ValueRule> rules = new HashMap<>();
    FieldRules.putCommon(rules);
    FieldRules.putGeneration(rules);
    rules.put("prompt", ValueRule.ANY);
    rules.put("suffix", ValueRule.string().orNull());
    rules.put("echo", ValueRule.bool().orNull());
    rules.put("logprobs", ValueRule.integer(0, 5).orNull());
    rules.put("max_tokens", ValueRule.integer(0, Long.MAX_VALUE).orNull());
    rules.put("n", ValueRule.integer(1, 1).orNull());
    rules.put("best_of", ValueRule.integer(0, BEST_OF_MAX).orNull());
    return rules;
  }

  /** Reads and checks a body; all issues are reported at once. */
  public static ParseResult<CompletionRequest> parse(byte[] bytes, int length) {
    return RequestRoot.parse(bytes, length, Set.of(), BOUNDED, CompletionRequest::check);
  }

  private static ParseResult<CompletionRequest> check(JsonMembers root) {
    var check = RequestCheck.of(root, RULES, "model", "prompt");
    PromptInput prompt =
        PromptInput.read(root, "prompt", PromptInput.Bounds.COMPLETED, check.issues());
    checkCandidates(root, check.issues());
    List<MediaUrl> urls = MediaStrings.ofUnread(root, RULES.names(), check.issues());
    return check.result(
        target -> new CompletionRequest(root, target, prompt, check.unreadBytes(), urls));
  }

  /** Refuses streams of several candidates: the best one is known only at the end. */
  private static void checkCandidates(JsonMembers root, Issues issues) {
    if (integer(root, "best_of", 0) > 1 && RequestRoot.isTrue(root, "stream")) {
      issues.add("best_of", "must not be above 1 if the reply is streamed");
    }
  }

  private static long integer(JsonMembers root, String name, long otherwise) {
    int i = root.indexOf(name);
    return i < 0 ? otherwise : root.integer(i, otherwise);
  }

  @Override
  public List<MediaUrl> mediaUrls() {
    return urls;
  }

  @Override
  public Operation operation() {
    return Operation.COMPLETION;
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
  public Set<String> capabilitiesUsed() {
    return stream ? Set.of("streaming") : Set.of();
  }

  @Override
  public String promptPrefix() {
    int i = root.indexOf("prompt");
    int length = Math.min(root.valueEnd(i) - root.valueStart(i), PREFIX_BYTES_MAX);
    return new String(root.bytes(), root.valueStart(i), length, StandardCharsets.ISO_8859_1);
  }

  /** Returns the number of texts in the reply: one for each prompt. */
  int choicesAsked() {
    return Math.max(1, prompt.count());
  }

  /** Returns the number of generated texts, of which all but the best are discarded. */
  private long candidates() {
    return prompts() * Math.max(1, integer(root, "best_of", 0));
  }

  private long prompts() {
    return choicesAsked();
  }

  /** Returns the bound of plausible token counts; 0 means unknown. */
  int tokensAtMost(Model served) {
    return (int) Math.min(served.contextLengthMax() * candidates(), Integer.MAX_VALUE);
  }

  @Override
  public PromptSize prompt() {
    return prompt.sizeWith(suffixBytes() * prompts(), unreadBytes);
  }

  @Override
  public Optional<TextRatio> textRatio() {
    int i = root.indexOf("prompt");
    return prompt.isTokens()
        ? Optional.empty()
        : Optional.of(TextDensity.of(root.bytes(), root.valueStart(i), root.valueEnd(i)));
  }

  private long suffixBytes() {
    int i = root.indexOf("suffix");
    return i >= 0 && root.kind(i) == JsonKind.STRING ? RequestRoot.bytesOf(root, "suffix") : 0;
  }

  @Override
  public MicroUsd estimate(Model served) {
    return estimate(served, outputAtMost(served));
  }

  private MicroUsd estimate(Model served, long outputTokens) {
    long tokens = prompt.tokensAtMost(served.contextLengthMax(), suffixBytes() + unreadBytes);
    return WorstCase.ofTokens(tokens, outputTokens, false).cost(served.prices());
  }

  @Override
  public Optional<OutputBound> outputBound() {
    return Optional.of(
        new OutputBound(
            "max_tokens",
            (served, each) ->
                estimate(served, TokenEstimate.outputAtMost(each, served) * candidates())));
  }

  @Override
  public long tokensEstimated(Model served) {
    return prompt().tokensSetAside() + outputAtMost(served);
  }

  private long outputAtMost(Model served) {
    return outputAtMost(served, served.outputTokensReserved());
  }

  /**
   * @param unbounded tokens of each text if the request has no bound
   */
  private long outputAtMost(Model served, long unbounded) {
    long asked = integer(root, "max_tokens", unbounded);
    return TokenEstimate.outputAtMost(asked, served) * candidates();
  }

  /**
   * Returns the generated tokens of the delivered ones: with {@code echo} the prompts come first.
   */
  long writtenLikely(long delivered, Model served) {
    long echoed = RequestRoot.isTrue(root, "echo") ? prompt.tokensDelivered() : 0;
    return Math.clamp(delivered - echoed, 0, outputAtMost(served, Integer.MAX_VALUE));
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
    return RequestRoot.upstreamBody(root, stream, operation(), route);
  }

  @Override
  public CompletionCall call(RequestId id, Model served) {
    return new CompletionCall(id, this, served);
  }
}
