package dev.tollgate.core.endpoint;

import dev.tollgate.core.json.JsonElements;
import dev.tollgate.core.json.JsonItems;
import dev.tollgate.core.json.JsonKind;
import dev.tollgate.core.json.JsonMembers;
import dev.tollgate.core.json.Param;
import java.util.Arrays;

/**
 * The texts of a request that are not a conversation: one or many, each as a string or as an array
 * of token numbers. Counted without a tokenizer.
 */
final class PromptInput {
  // Beginning and end, which some models put around each text.
  private static final int SPECIAL_TOKENS = 2;

  private final Param param;
  private final Issues issues;
  private int count;
  private long tokensLikely;
  private long[] tokensAtMost = new long[1];

  private PromptInput(Param param, Issues issues) {
    this.param = param;
    this.issues = issues;
  }

  /**
   * Reads a member that may be a string, an array of strings, of tokens, or of arrays of tokens;
   * what is wrong with it is added to the issues. One that is missing was reported.
   */
  static PromptInput read(JsonMembers root, String name, int countMax, Issues issues) {
    var input = new PromptInput(Param.of(name), issues);
    int i = root.indexOf(name);
    if (i >= 0) {
      input.whole(root, i, countMax);
    }
    return input;
  }

  private void whole(JsonItems root, int i, int countMax) {
    switch (root.kind(i)) {
      case STRING -> text(root, i, param);
      case ARRAY -> many(root.array(i), countMax);
      case NUMBER, TRUE, FALSE, NULL, OBJECT ->
          issues.add(param, "must be a string or an array of strings, tokens or arrays of tokens");
    }
  }

  private void many(JsonElements elements, int countMax) {
    if (elements.size() == 0) {
      issues.add(param, "must not be empty");
    } else if (elements.size() > countMax) {
      issues.add(param, "must not have more than " + countMax + " items");
    } else if (elements.kind(0) == JsonKind.NUMBER) {
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
    if (items.isEmptyString(i)) {
      issues.add(at, "must not be empty");
    }
    int sizeBytes = items.valueEnd(i) - items.valueStart(i);
    add(TokenEstimate.likely(sizeBytes, 0), sizeBytes);
  }

  private void tokens(JsonElements tokens, Param at) {
    if (tokens.size() == 0) {
      issues.add(at, "must not be empty");
    }
    if (issues.addIfCut(tokens, at)) {
      return;
    }
    ValueRule token = ValueRule.integer(0, Long.MAX_VALUE);
    for (int k = 0; k < tokens.size() && !issues.isFull(); k++) {
      token.check(tokens, k, at.at(k), issues);
    }
    add(tokens.size(), tokens.size());
  }

  private void add(long likely, long most) {
    if (count == tokensAtMost.length) {
      tokensAtMost = Arrays.copyOf(tokensAtMost, 2 * count);
    }
    tokensAtMost[count] = most + SPECIAL_TOKENS;
    count++;
    tokensLikely += likely;
  }

  /** How many texts there are. */
  int count() {
    return count;
  }

  /** What they most likely count, for usage that nobody reported. */
  long tokensLikely() {
    return tokensLikely;
  }

  /**
   * An upper bound of what they count, each capped by the model's context where that is known.
   *
   * @param contextLength 0: unknown
   */
  long tokensAtMost(int contextLength) {
    long sum = 0;
    for (int k = 0; k < count; k++) {
      sum += contextLength > 0 ? Math.min(tokensAtMost[k], contextLength) : tokensAtMost[k];
    }
    return sum;
  }
}
