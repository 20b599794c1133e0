package dev.tollgate.core.api.embedding;

import dev.tollgate.core.api.FieldRules;
import dev.tollgate.core.api.InferenceRequest;
import dev.tollgate.core.api.Issues;
import dev.tollgate.core.api.ParseResult;
import dev.tollgate.core.api.PromptInput;
import dev.tollgate.core.api.RequestCheck;
import dev.tollgate.core.api.RequestRoot;
import dev.tollgate.core.api.RequestTarget;
import dev.tollgate.core.api.UpstreamBody;
import dev.tollgate.core.api.ValueRule;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.catalog.Route;
import dev.tollgate.core.dialect.Dialect.Operation;
import dev.tollgate.core.dialect.registry.Dialects;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.id.RequestId;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.Param;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.core.money.WorstCase;
import dev.tollgate.core.prompt.PromptSize;
import io.netty.buffer.ByteBuf;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Validated body of POST /v1/embeddings, over the array in which it was received. */
public final class EmbeddingRequest implements InferenceRequest {
  private static final FieldRules RULES = new FieldRules(rules());

  private final JsonMembers root;
  private final RequestTarget target;
  private final PromptInput input;
  private final long unreadBytes;

  private EmbeddingRequest(
      JsonMembers root, RequestTarget target, PromptInput input, long unreadBytes) {
    this.root = root;
    this.target = target;
    this.input = input;
    this.unreadBytes = unreadBytes;
  }

  private static Map<String, ValueRule> rules() {
    Map<String, ValueRule> rules = new HashMap<>();
    FieldRules.putCommon(rules);
    rules.put("input", ValueRule.ANY);
    rules.put("encoding_format", FieldRules.rule(EmbeddingRequest::encodingFormat).orNull());
    rules.put("dimensions", ValueRule.integer(1, Long.MAX_VALUE).orNull());
    return rules;
  }

  private static void encodingFormat(JsonItems items, int i, Param param, Issues issues) {
    if (!items.isString(i, "float") && !items.isString(i, "base64")) {
      issues.add(param, "must be float or base64");
    }
  }

  /** Reads and checks a body; all issues are reported at once. */
  public static ParseResult<EmbeddingRequest> parse(byte[] bytes, int length) {
    return RequestRoot.parse(bytes, length, Set.of(), Set.of(), EmbeddingRequest::check);
  }

  private static ParseResult<EmbeddingRequest> check(JsonMembers root) {
    var check = RequestCheck.of(root, RULES, "model", "input");
    PromptInput input =
        PromptInput.read(root, "input", PromptInput.Bounds.EMBEDDED, check.issues());
    return check.result(target -> new EmbeddingRequest(root, target, input, check.unreadBytes()));
  }

  @Override
  public Operation operation() {
    return Operation.EMBEDDING;
  }

  @Override
  public RequestTarget target() {
    return target;
  }

  /** Returns the bound of plausible prompt tokens; 0 means unknown. */
  int promptTokensAtMost(Model served) {
    long tokensMax = (long) served.contextLengthMax() * input.count();
    return (int) Math.min(tokensMax, Integer.MAX_VALUE);
  }

  @Override
  public PromptSize prompt() {
    return input.sizeWith(0, unreadBytes);
  }

  @Override
  public MicroUsd estimate(Model served) {
    long prompt = input.tokensAtMost(served.contextLengthMax(), unreadBytes);
    return WorstCase.ofTokens(prompt, 0, false).cost(served.prices());
  }

  @Override
  public long tokensEstimated(Model served) {
    return prompt().tokensSetAside();
  }

  @Override
  public List<ByteBuf> bodyFor(Route route) {
    return upstreamBody(route).body();
  }

  /** Returns the body for a provider with OpenAI's format. */
  UpstreamBody upstreamBody(Route route) {
    return RequestRoot.upstreamBody(root, false, operation(), route);
  }

  /** True if the request asks for vectors in base64, which not all providers have. */
  public boolean wantsBase64() {
    int i = root.indexOf("encoding_format");
    return i >= 0 && root.isString(i, "base64");
  }

  /** Returns the body as received. */
  JsonMembers canonical() {
    return root;
  }

  /**
   * Returns the input's path if it has more texts than the provider takes at once, or token ids of
   * another vocabulary.
   */
  @Override
  public List<String> unservable(Route route) {
    boolean supported =
        Dialects.named(route.provider().dialect())
            .embeddings()
            .map(vectors -> input.count() <= vectors.textsMax() && !input.isTokens())
            .orElse(true);
    return supported ? List.of() : List.of("input");
  }

  @Override
  public List<String> unsupported(Route route, Model served) {
    List<String> unservable = unservable(route);
    return unservable.isEmpty() ? unsent(route) : unservable;
  }

  @Override
  public Fault unservableFault(List<String> paths) {
    return paths.contains("input")
        ? Fault.invalid(
            "input",
            "has more texts than the model's provider takes at once, or tokens in place of texts")
        : InferenceRequest.super.unservableFault(paths);
  }

  private List<String> unsent(Route route) {
    return Dialects.named(route.provider().dialect())
        .embeddings()
        .map(vectors -> vectors.request(root, route).dropped())
        .orElseGet(() -> RequestRoot.unsupported(root, operation(), route));
  }

  @Override
  public EmbeddingCall call(RequestId id, Model served) {
    return new EmbeddingCall(id, this, served);
  }
}
