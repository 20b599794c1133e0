package dev.tollgate.core.api;

import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonLimits;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.Param;
import dev.tollgate.core.prompt.PromptMedia;
import dev.tollgate.core.prompt.PromptSize;
import java.util.Arrays;

/**
 * Texts of an embedding or legacy completion request: one or many, each as a string or as an array
 * of token ids. Tokens are counted without a tokenizer.
 */
public final class PromptInput {
  // Begin and end tokens, which some models put around each text.
  private static final int SPECIAL_TOKENS = 2;
  // A short text is a token all the same.
  private static final int TEXT_BYTES_LEAST = 4;

  private final Param param;
  private final Bounds bounds;
  private final Issues issues;
  private boolean isTokens;
  private int count;
  private long textBytes;
  private long idTokens;
  private long[] tokensAtMost = new long[1];

  /**
   * Limits of the input's size, which differ by endpoint.
   *
   * @param texts largest number of texts
   * @param tokens largest number of tokens of a single text
   * @param text rule of a text
   * @param missing rule of null
   */
  public record Bounds(int texts, int tokens, ValueRule text, ValueRule missing) {
    /** Bounds of embedding input. */
    public static final Bounds EMBEDDED =
        new Bounds(2_048, 2_048, PromptInput::notEmpty, PromptInput::refuse);

    /** Bounds of completion prompts. */
    public static final Bounds COMPLETED =
        new Bounds(2_048, JsonLimits.ITEMS_MAX, ValueRule.ANY, ValueRule.ANY);
  }

  private PromptInput(Param param, Bounds bounds, Issues issues) {
    this.param = param;
    this.bounds = bounds;
    this.issues = issues;
  }

  /**
   * Reads a member that is a string, or an array of strings, of token ids or of arrays of token
   * ids. Errors are added to the issues; a missing member has been reported before.
   */
  public static PromptInput read(JsonMembers root, String name, Bounds bounds, Issues issues) {
    var input = new PromptInput(Param.of(name), bounds, issues);
    int i = root.indexOf(name);
    if (i >= 0) {
      input.whole(root, i);
    }
    return input;
  }

  private void whole(JsonItems root, int i) {
    switch (root.kind(i)) {
      case STRING -> text(root, i, param);
      case ARRAY -> many(root.array(i));
      case NULL -> bounds.missing.check(root, i, param, issues);
      case NUMBER, TRUE, FALSE, OBJECT -> refuse(root, i, param, issues);
    }
  }

  private static void refuse(JsonItems items, int i, Param at, Issues issues) {
    issues.add(at, "must be a string or an array of strings, tokens or arrays of tokens");
  }

  private static void notEmpty(JsonItems items, int i, Param at, Issues issues) {
    if (items.isEmptyString(i)) {
      issues.add(at, "must not be empty");
    }
  }

  private void many(JsonElements elements) {
    boolean isOne = elements.size() > 0 && elements.kind(0) == JsonKind.NUMBER;
    int max = isOne ? bounds.tokens : bounds.texts;
    if (elements.size() == 0) {
      issues.add(param, "must not be empty");
    } else if (elements.size() > max) {
      issues.add(param, "must not have more than " + max + " items");
    } else if (isOne) {
      tokens(elements, param);
    } else {
      each(elements);
    }
  }

  private void each(JsonElements elements) {
    JsonKind first = elements.kind(0);
    for (int k = 0; k < elements.size() && !issues.isFull(); k++) {
      if (elements.kind(k) != first) {
        issues.add(param.at(k), "must be of the same kind as the items before it");
        continue;
      }
      switch (first) {
        case STRING -> text(elements, k, param.at(k));
        case ARRAY -> tokens(elements.array(k), param.at(k));
        case NUMBER, TRUE, FALSE, NULL, OBJECT ->
            issues.add(param.at(k), "must be a string or an array of tokens");
      }
    }
  }

  private void text(JsonItems items, int i, Param at) {
    bounds.text.check(items, i, at, issues);
    int sizeBytes = items.valueEnd(i) - items.valueStart(i);
    textBytes += Math.max(sizeBytes, TEXT_BYTES_LEAST);
    add(sizeBytes);
  }

  private void tokens(JsonElements tokens, Param at) {
    if (tokens.size() == 0) {
      issues.add(at, "must not be empty");
    }
    if (issues.addIfCut(tokens, at)) {
      return;
    }
    isTokens = true;
    ValueRule token = ValueRule.integer(0, Long.MAX_VALUE);
    for (int k = 0; k < tokens.size() && !issues.isFull(); k++) {
      token.check(tokens, k, at.at(k), issues);
    }
    idTokens += tokens.size();
    add(tokens.size());
  }

  private void add(long max) {
    if (count == tokensAtMost.length) {
      tokensAtMost = Arrays.copyOf(tokensAtMost, 2 * count);
    }
    tokensAtMost[count] = max + SPECIAL_TOKENS;
    count++;
  }

  /** True if the input consists of token ids. */
  public boolean isTokens() {
    return isTokens;
  }

  /** Returns the number of texts. */
  public int count() {
    return count;
  }

  /** Returns the size together with text beside the input, and with what is passed on unread. */
  public PromptSize sizeWith(long moreTextBytes, long unreadBytes) {
    long allBytes = textBytes + moreTextBytes + unreadBytes;
    return new PromptSize(allBytes, unreadBytes, idTokens, PromptMedia.NONE);
  }

  /**
   * Returns the likely token count if the provider repeats the prompts: counted like its output.
   */
  public long tokensDelivered() {
    return TokenEstimate.deliveredOfPrompt(TokenEstimate.likely(textBytes) + idTokens);
  }

  /**
   * Returns an upper bound of the token count; each text is capped by the model's context if known.
   *
   * @param contextLength 0 means unknown
   * @param besideBytes text beside the input, which a provider may add to each text
   */
  public long tokensAtMost(int contextLength, long besideBytes) {
    long sum = 0;
    for (int k = 0; k < Math.max(1, count); k++) {
      long tokens = tokensAtMost[k] + besideBytes;
      sum += contextLength > 0 ? Math.min(tokens, contextLength) : tokens;
    }
    return sum;
  }
}
